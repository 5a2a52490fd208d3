import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";

/** A place where code reads a caught value in a way that may throw. */
export interface Read {
  /** The file, below `src`. */
  readonly file: string;
  readonly line: number;
  /** The expression, for example `error.code`. */
  readonly text: string;
}

const root = fileURLToPath(new URL("../../src/", import.meta.url));

/** The names that the code uses for thrown values, including parameters. */
const nameOfThrown = /^(?:error|cause|thrown|reason|failure)$/;

/** The functions that convert their argument, which may call its methods. */
const converting = /^(?:String|Number|BigInt|JSON\.stringify|Object\.\w+|Reflect\.\w+)$/;

/** Reads every source file. */
export function sourceFiles(): Map<string, string> {
  const paths = readdirSync(root, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => /\.tsx?$/.test(path) && !path.endsWith(".d.ts"));
  return new Map(paths.map((path) => [path, readFileSync(root + path, "utf8")]));
}

/**
 * Finds the places that read a caught value and are not in a `try` block that ignores errors: a property, a conversion to a
 * string, `in`, or `instanceof`. All of them can run code of the value, which may throw.
 *
 * Caught values are the variables of `catch`, the first parameters of rejection handlers, parameters and variables of the type
 * `unknown` that are named like an error, and what is assigned or read from these in the same file.
 */
export function readsOfCaughtValues(files: ReadonlyMap<string, string>): Read[] {
  const options: ts.CompilerOptions = { noLib: true, noResolve: true, allowImportingTsExtensions: true };
  const host = ts.createCompilerHost(options);
  host.getSourceFile = (name, languageVersion) => {
    const text = files.get(name);
    return text === undefined ? undefined : ts.createSourceFile(name, text, languageVersion, true);
  };
  const program = ts.createProgram([...files.keys()], options, host);
  const checker = program.getTypeChecker();
  return [...files.keys()].flatMap((name) =>
    new FileReads(program.getSourceFile(name) as ts.SourceFile, checker).all(),
  );
}

class FileReads {
  readonly #source: ts.SourceFile;
  readonly #checker: ts.TypeChecker;
  readonly #caught = new Set<ts.Symbol>();
  readonly #reads: Read[] = [];

  constructor(source: ts.SourceFile, checker: ts.TypeChecker) {
    this.#source = source;
    this.#checker = checker;
  }

  all(): Read[] {
    // Repeated, because an alias may be declared after its use.
    for (let size = -1; size < this.#caught.size; ) {
      size = this.#caught.size;
      this.#bind(this.#source);
    }
    this.#visit(this.#source);
    return this.#reads;
  }

  /** Collects the variables that hold caught values. */
  #bind(node: ts.Node): void {
    if (ts.isCatchClause(node) && node.variableDeclaration) this.#add(node.variableDeclaration.name);
    if (ts.isCallExpression(node)) {
      const handler = handlerIn(node);
      const [parameter] = (handler && this.#functionOf(handler))?.parameters ?? [];
      if (parameter) this.#add(parameter.name);
    }
    if ((ts.isParameter(node) || ts.isVariableDeclaration(node)) && isNamedLikeThrown(node))
      this.#add(node.name);
    if (ts.isVariableDeclaration(node) && node.initializer && this.#isCaught(node.initializer))
      this.#add(node.name);
    if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken) {
      if (ts.isIdentifier(node.left) && this.#isCaught(node.right)) this.#add(node.left);
    }
    ts.forEachChild(node, (child) => this.#bind(child));
  }

  #add(name: ts.BindingName): void {
    if (!ts.isIdentifier(name)) {
      for (const element of name.elements) if (ts.isBindingElement(element)) this.#add(element.name);
      return;
    }
    const symbol = this.#checker.getSymbolAtLocation(name);
    if (symbol) this.#caught.add(symbol);
  }

  #functionOf(node: ts.Node): ts.SignatureDeclaration | undefined {
    if (ts.isArrowFunction(node) || ts.isFunctionExpression(node)) return node;
    if (!ts.isIdentifier(node)) return undefined;
    const declaration = this.#checker.getSymbolAtLocation(node)?.valueDeclaration;
    if (declaration && ts.isFunctionDeclaration(declaration)) return declaration;
    const value = declaration && ts.isVariableDeclaration(declaration) && declaration.initializer;
    return value && (ts.isArrowFunction(value) || ts.isFunctionExpression(value)) ? value : undefined;
  }

  #isCaught(expression: ts.Expression): boolean {
    const node = unwrapped(expression);
    if (ts.isIdentifier(node)) {
      const symbol = this.#checker.getSymbolAtLocation(node);
      return symbol !== undefined && this.#caught.has(symbol);
    }
    if (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) {
      return this.#isCaught(node.expression);
    }
    if (ts.isConditionalExpression(node))
      return this.#isCaught(node.whenTrue) || this.#isCaught(node.whenFalse);
    if (ts.isBinaryExpression(node) && isDefault(node.operatorToken.kind)) {
      return this.#isCaught(node.left) || this.#isCaught(node.right);
    }
    if (!ts.isCallExpression(node)) return false;
    const callee = node.expression.getText();
    const [argument] = node.arguments;
    return (
      (callee === "Object" || callee === "readForeign") && argument !== undefined && this.#isCaught(argument)
    );
  }

  #visit(node: ts.Node): void {
    if (ts.isTryStatement(node) && node.catchClause && !node.catchClause.variableDeclaration) {
      // This `try` is a guard. The functions in it may run later.
      this.#visitFunctionsIn(node.tryBlock);
      this.#visit(node.catchClause);
      if (node.finallyBlock) this.#visit(node.finallyBlock);
      return;
    }
    if (this.#isRead(node)) {
      const { line } = this.#source.getLineAndCharacterOfPosition(node.getStart());
      const text = textOf(node).replace(/\s+/g, " ");
      this.#reads.push({ file: this.#source.fileName, line: line + 1, text });
      // The outermost expression is enough.
      if (!ts.isVariableDeclaration(node))
        return ts.forEachChild(node, (child) => this.#visitFunctionsIn(child));
    }
    ts.forEachChild(node, (child) => this.#visit(child));
  }

  #visitFunctionsIn(node: ts.Node): void {
    if (ts.isFunctionLike(node)) this.#visit(node);
    else ts.forEachChild(node, (child) => this.#visitFunctionsIn(child));
  }

  #isRead(node: ts.Node): boolean {
    if (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) {
      return this.#isCaught(node.expression);
    }
    if (ts.isVariableDeclaration(node)) {
      return (
        ts.isObjectBindingPattern(node.name) &&
        node.initializer !== undefined &&
        this.#isCaught(node.initializer)
      );
    }
    if (ts.isParameter(node) || (ts.isCatchClause(node) && node.variableDeclaration)) {
      const name = ts.isParameter(node)
        ? node.name
        : (node.variableDeclaration as ts.VariableDeclaration).name;
      return (
        ts.isObjectBindingPattern(name) && name.elements.some(({ name: inner }) => this.#isCaughtName(inner))
      );
    }
    if (ts.isBinaryExpression(node)) {
      const { kind } = node.operatorToken;
      if (kind === ts.SyntaxKind.InstanceOfKeyword) return this.#isCaught(node.left);
      if (kind === ts.SyntaxKind.InKeyword) return this.#isCaught(node.right);
      return kind === ts.SyntaxKind.PlusToken && (this.#isCaught(node.left) || this.#isCaught(node.right));
    }
    if (ts.isTemplateSpan(node) || ts.isSpreadAssignment(node) || ts.isSpreadElement(node)) {
      return this.#isCaught(node.expression);
    }
    if (ts.isCallExpression(node)) {
      return (
        converting.test(node.expression.getText()) &&
        node.arguments.some((argument) => this.#isCaught(argument))
      );
    }
    return false;
  }

  #isCaughtName(name: ts.BindingName): boolean {
    if (!ts.isIdentifier(name))
      return name.elements.some((e) => ts.isBindingElement(e) && this.#isCaughtName(e.name));
    const symbol = this.#checker.getSymbolAtLocation(name);
    return symbol !== undefined && this.#caught.has(symbol);
  }
}

function textOf(node: ts.Node): string {
  return ts.isTemplateSpan(node) ? `{${node.expression.getText()}}` : node.getText();
}

/** Returns the handler of rejections in `promise.catch(handler)` or `promise.then(…, handler)`. */
function handlerIn({ expression, arguments: given }: ts.CallExpression): ts.Expression | undefined {
  if (!ts.isPropertyAccessExpression(expression)) return undefined;
  if (expression.name.text === "catch") return given[0];
  return expression.name.text === "then" ? given[1] : undefined;
}

/** Parameters without a type are those of rejection handlers, hooks and the like. */
function isNamedLikeThrown(node: ts.ParameterDeclaration | ts.VariableDeclaration): boolean {
  const { name, type } = node;
  if (!ts.isIdentifier(name) || !nameOfThrown.test(name.text)) return false;
  if (type === undefined) return ts.isParameter(node);
  return type.kind === ts.SyntaxKind.UnknownKeyword || /Error|Exception/.test(type.getText());
}

function unwrapped(expression: ts.Expression): ts.Expression {
  let node = expression;
  while (
    ts.isParenthesizedExpression(node) ||
    ts.isAsExpression(node) ||
    ts.isNonNullExpression(node) ||
    ts.isSatisfiesExpression(node) ||
    ts.isAwaitExpression(node)
  ) {
    node = node.expression;
  }
  return node;
}

function isDefault(kind: ts.SyntaxKind): boolean {
  return kind === ts.SyntaxKind.QuestionQuestionToken || kind === ts.SyntaxKind.BarBarToken;
}
