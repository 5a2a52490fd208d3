import type { GeneratedPdf } from "./document.ts";

/**
 * What hears how a call went.
 *
 * @internal
 */
export interface Listener {
  onDocument(document: GeneratedPdf): void;
  onFailure(error: unknown): void;
  /** Whether a document that breaks may be replaced by another: nobody has seen anything of it. */
  mayRepeat(): boolean;
}

/**
 * A call that can be started, once, and cancelled at any moment after that.
 *
 * @internal
 */
export interface Launch {
  start(listener: Listener): void;
  cancel(reason: unknown): void;
  /** Whether this is what a form failed with because its document broke, and that document can be replaced. */
  canRepeat(error: unknown): boolean;
  /** Asks for the document that broke again: the listener hears of the next. */
  repeat(): void;
}

/**
 * Builds one form of a document.
 *
 * @internal
 */
export type Form<T> = (document: GeneratedPdf) => T | Promise<T>;

type Outcome = { readonly document: GeneratedPdf } | { readonly error: unknown };

/**
 * Who asked for what of a document on its way: when the call may start, who hears of its outcome, when the
 * promise itself is to be settled, and when a broken document may be asked for again.
 *
 * @internal
 */
export class Asking {
  readonly #launch: Launch;
  readonly #resolveOwn: (document: GeneratedPdf) => void;
  readonly #rejectOwn: (error: unknown) => void;
  /** What has to be settled before the request may be sent; asked for before the turn ended. */
  readonly #gates: Promise<unknown>[] = [];
  readonly #waiting: Pick<Listener, "onDocument" | "onFailure">[] = [];
  #outcome: Outcome | undefined;
  #isPastGates = false;
  #started = false;
  #isAwaited = false;
  #formsAsked = 0;
  /** The first form that was asked for shows nothing before it is whole. */
  #wantsWhole = false;
  /** Somebody gave the call up on purpose: no failure that nobody heard of. */
  #isGivenUp = false;

  /**
   * @param resolveOwn - settles the promise itself
   * @param rejectOwn - settles the promise itself
   */
  constructor(
    launch: Launch,
    resolveOwn: (document: GeneratedPdf) => void,
    rejectOwn: (error: unknown) => void,
  ) {
    this.#launch = launch;
    this.#resolveOwn = resolveOwn;
    this.#rejectOwn = rejectOwn;
    // Not in this very moment: a form that is asked for in the same breath may have a word to say first.
    // By a promise, because test runners take `queueMicrotask` for a timer and stop it.
    Promise.resolve().then(() => this.#start());
  }

  /** Whether anybody has asked for the document, or for a form of it. */
  get isWanted(): boolean {
    return this.#isAwaited || this.#formsAsked > 0;
  }

  /** Somebody awaits the document itself. */
  await(): void {
    this.#isAwaited = true;
    this.#settleOwn();
  }

  /** Whether it is too late for `gate`. */
  get isPastGates(): boolean {
    return this.#isPastGates;
  }

  /** Has the call wait until this is settled, and fail if it fails. */
  gate(gate: Promise<unknown>): void {
    this.#gates.push(gate);
  }

  /** Gives a form that shows its bytes while they come. */
  forStream<T>(form: Form<T>): Promise<T> {
    this.#formsAsked++;
    return new Promise((resolve, reject) => {
      this.#listen({
        onDocument: (document) => {
          this.#build(form, document).then(resolve, reject);
        },
        onFailure: reject,
      });
    });
  }

  /** Gives a form that is seen only when it is whole: of a document that breaks, it is made of another one. */
  forWhole<T>(form: Form<T>): Promise<T> {
    if (++this.#formsAsked === 1) this.#wantsWhole = true;
    return new Promise((resolve, reject) => {
      const listener = {
        onDocument: (document: GeneratedPdf) => {
          this.#build(form, document).then(resolve, (error) => {
            if (this.#launch.canRepeat(error)) this.#repeat(listener);
            else reject(error);
          });
        },
        onFailure: reject,
      };
      this.#listen(listener);
    });
  }

  giveUp(reason: unknown): void {
    this.#isGivenUp = true;
    this.#launch.cancel(reason);
    if (!this.#started) this.#settle({ error: reason });
  }

  /** Asks again for a document that broke: whoever awaits it from here on gets the next, too. */
  #repeat(listener: Pick<Listener, "onDocument" | "onFailure">): void {
    this.#outcome = undefined;
    this.#waiting.push(listener);
    this.#launch.repeat();
  }

  async #build<T>(form: Form<T>, document: GeneratedPdf): Promise<T> {
    try {
      return await form(document);
    } catch (error) {
      // A form that failed before it read a byte leaves a document that nobody else can reach.
      const isAlone = this.#formsAsked === 1 && !this.#isAwaited;
      if (isAlone && !this.#launch.canRepeat(error)) this.#launch.cancel(error);
      throw error;
    }
  }

  #listen(listener: Pick<Listener, "onDocument" | "onFailure">): void {
    if (this.#outcome === undefined) this.#waiting.push(listener);
    else tell(listener, this.#outcome);
  }

  async #start(): Promise<void> {
    this.#isPastGates = true;
    try {
      // Awaited even by a call that was cancelled: nobody else would hear of their rejection. And all of them: the
      // drafts of good paths are gone again by the time that a bad one is told.
      const gates = this.#gates;
      if (gates.length > 0) await Promise.allSettled(gates).then(() => Promise.all(gates));
      if (this.#outcome !== undefined) return;
      this.#started = true;
      this.#launch.start({
        onDocument: (document) => this.#settle({ document }),
        onFailure: (error) => this.#settle({ error }),
        mayRepeat: () => this.#wantsWhole && !this.#isAwaited,
      });
    } catch (error) {
      this.#launch.cancel(error);
      this.#settle({ error });
    }
  }

  #settle(outcome: Outcome): void {
    if (this.#outcome !== undefined) return;
    this.#outcome = outcome;
    for (const listener of this.#waiting.splice(0)) tell(listener, outcome);
    this.#settleOwn();
  }

  /**
   * Settles the promise itself only where somebody awaits it, or nobody asked for a form: a caught `.bytes()`
   * would otherwise leave an unhandled rejection behind.
   */
  #settleOwn(): void {
    const somebodyElseHears = this.#formsAsked > 0 || this.#isGivenUp;
    if (this.#outcome === undefined || (somebodyElseHears && !this.#isAwaited)) return;
    if ("document" in this.#outcome) this.#resolveOwn(this.#outcome.document);
    else this.#rejectOwn(this.#outcome.error);
  }
}

function tell(listener: Pick<Listener, "onDocument" | "onFailure">, outcome: Outcome): void {
  if ("document" in outcome) listener.onDocument(outcome.document);
  else listener.onFailure(outcome.error);
}
