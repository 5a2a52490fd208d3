import { Command } from "commander";
import { ownOption, withoutPrototype } from "../../runtime/own-options.ts";

/** A command that knows only the options of its command line, and no properties that its objects inherit. */
export class OwnCommand extends Command {
  override createCommand(name?: string): OwnCommand {
    return new OwnCommand(name);
  }

  // Commander reads every option with these methods.

  override getOptionValue(key: string): unknown {
    return ownOption(super.opts(), key);
  }

  override opts<T extends Record<string, unknown>>(): T {
    return withoutPrototype(super.opts<T>());
  }
}
