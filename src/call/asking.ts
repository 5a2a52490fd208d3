import type { GeneratedPdf } from "../document/generated-pdf.ts";
import { rejectWithCaller } from "../errors/caller-stack.ts";

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
  /** Whether somebody other than the caller handles every failure. */
  readonly isSupervised: boolean;
  start(listener: Listener): void;
  cancel(reason: unknown): void;
  /** Whether this is what a form failed with because its document broke, and that document can be replaced. */
  canRepeat(error: unknown): boolean;
  /** Asks for the document that broke again: the listener hears of the next. */
  repeat(): void;
}

type Outcome = { readonly document: GeneratedPdf } | { readonly error: unknown };

/** A form that was asked for, and waits to be built. */
interface Waiting extends Pick<Listener, "onDocument"> {
  /** Settles the promise of the form. */
  resolve(failure: Promise<never>): void;
}

const settled = Promise.resolve();

/**
 * Who asked for what of a document on its way: when the call may start, who hears of its outcome, when the
 * promise itself is to be settled, and when a broken document may be asked for again.
 *
 * @internal
 */
export class Asking implements Listener {
  readonly #launch: Launch;
  /** Until the promise itself is settled. */
  #resolveOwn: ((document: GeneratedPdf | Promise<never>) => void) | undefined;
  /** What has to be settled before the request may be sent; asked for before the turn ended. */
  #gates: Promise<unknown>[] | undefined;
  #waiting: Waiting[] | undefined;
  #outcome: Outcome | undefined;
  #isPastGates = false;
  #started = false;
  #isAwaited = false;
  #formsAsked = 0;
  /** The first form that was asked for shows nothing before it is whole. */
  #wantsWhole = false;
  /** Somebody gave the call up on purpose: no failure that nobody heard of. */
  #isGivenUp = false;

  /** @param resolveOwn - settles the promise itself */
  constructor(launch: Launch, resolveOwn: (document: GeneratedPdf | Promise<never>) => void) {
    this.#launch = launch;
    this.#resolveOwn = resolveOwn;
    // Not in this very moment: a form that is asked for in the same breath may have a word to say first.
    // By a promise, because test runners take `queueMicrotask` for a timer and stop it.
    settled.then(() => this.#open());
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
    this.#gates = [...(this.#gates ?? []), gate];
  }

  /** Gives a form that shows its bytes while they come. */
  forStream<T>(form: (document: GeneratedPdf) => T): Promise<T> {
    this.#formsAsked++;
    return new Promise((resolve) => {
      this.#listen({
        onDocument: (document) => {
          try {
            resolve(form(document));
          } catch (error) {
            this.#giveUpAlone(error);
            rejectWithCaller(resolve, error);
          }
        },
        resolve,
      });
    });
  }

  /**
   * Gives a form that is seen only when it is whole: of a document that breaks, it is made of another one.
   *
   * @param form - builds it; what is wrong rejects
   */
  forWhole<T>(form: (document: GeneratedPdf) => Promise<T>): Promise<T> {
    if (++this.#formsAsked === 1) this.#wantsWhole = true;
    return new Promise((resolve) => {
      const waiting: Waiting = {
        onDocument: (document) => {
          const onBroken = (error: unknown) => {
            if (this.#launch.canRepeat(error)) return this.#repeat(waiting);
            this.#giveUpAlone(error);
            rejectWithCaller(resolve, error);
          };
          try {
            Promise.resolve(form(document)).then(resolve, onBroken);
          } catch (error) {
            // Ours never throw; but somebody's mock of a form may.
            onBroken(error);
          }
        },
        resolve,
      };
      this.#listen(waiting);
    });
  }

  giveUp(reason: unknown): void {
    this.#isGivenUp = true;
    this.#launch.cancel(reason);
    if (!this.#started) this.#settle({ error: reason });
  }

  // How the call went.

  onDocument(document: GeneratedPdf): void {
    this.#settle({ document });
  }

  onFailure(error: unknown): void {
    this.#settle({ error });
  }

  mayRepeat(): boolean {
    return this.#wantsWhole && !this.#isAwaited;
  }

  /** Asks again for a document that broke: whoever awaits it from here on gets the next, too. */
  #repeat(waiting: Waiting): void {
    this.#outcome = undefined;
    this.#listen(waiting);
    this.#launch.repeat();
  }

  /** A form that failed before it read a byte leaves a document that nobody else can reach. */
  #giveUpAlone(error: unknown): void {
    if (this.#formsAsked === 1 && !this.#isAwaited) this.#launch.cancel(error);
  }

  #listen(waiting: Waiting): void {
    if (this.#outcome) tell(waiting, this.#outcome);
    else if (this.#waiting) this.#waiting.push(waiting);
    else this.#waiting = [waiting];
  }

  #open(): void {
    this.#isPastGates = true;
    if (this.#gates) this.#passGates(this.#gates);
    else this.#start();
  }

  async #passGates(gates: readonly Promise<unknown>[]): Promise<void> {
    try {
      // Awaited even by a call that was cancelled: nobody else would hear of their rejection. And all of them: the
      // drafts of good paths are gone again by the time that a bad one is told.
      await Promise.allSettled(gates);
      await Promise.all(gates);
      this.#start();
    } catch (error) {
      this.#fail(error);
    }
  }

  #start(): void {
    if (this.#outcome) return;
    this.#started = true;
    try {
      this.#launch.start(this);
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#launch.cancel(error);
    this.#settle({ error });
  }

  #settle(outcome: Outcome): void {
    if (this.#outcome) return;
    this.#outcome = outcome;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting) for (const one of waiting) tell(one, outcome);
    this.#settleOwn();
  }

  /**
   * Settles the promise itself only where somebody awaits it, or nobody asked for a form: a caught `.bytes()`
   * would otherwise leave an unhandled rejection behind.
   */
  #settleOwn(): void {
    const somebodyElseHears = this.#formsAsked > 0 || this.#isGivenUp || this.#launch.isSupervised;
    const resolve = this.#resolveOwn;
    if (!resolve || !this.#outcome || (somebodyElseHears && !this.#isAwaited)) return;
    this.#resolveOwn = undefined;
    if ("document" in this.#outcome) resolve(this.#outcome.document);
    else rejectWithCaller(resolve, this.#outcome.error);
  }
}

function tell(waiting: Waiting, outcome: Outcome): void {
  if ("document" in outcome) waiting.onDocument(outcome.document);
  else rejectWithCaller(waiting.resolve, outcome.error);
}
