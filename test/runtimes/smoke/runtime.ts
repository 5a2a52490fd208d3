/** What is expected of a runtime. Everything else is expected of all of them. */
export interface Facts {
  readonly transport: "undici" | "fetch";
  /** Buffers, Node's streams, and files. */
  readonly hasFiles: boolean;
  /** A page, or a web worker of one. */
  readonly isPage: boolean;
  /** Whether the environment can be read. */
  readonly hasEnvironment: boolean;
  /** The most that a service can send while nobody reads; `undefined` where the runtime itself takes in everything. */
  readonly mostUnreadBytes: number | undefined;
  /** What comes of faults that this runtime sees in another way, by their names. */
  readonly otherwise?: Readonly<Record<string, string>>;
}

/** How a check ended. */
interface Result {
  readonly name: string;
  /** Why it does not hold. */
  readonly failed?: string;
  /** What does not exist here, and what happens instead. */
  readonly byDesign?: string;
}

/** How all of them ended in one runtime. */
export interface Run {
  readonly version: string;
  readonly results: readonly Result[];
}

/** Where the suite runs. */
export interface Ground {
  /** The service, which serves the page as well. */
  readonly service: string;
  /** Where nobody listens. */
  readonly unserved: string;
  /** A folder of the run's own, below that in which the package is installed. */
  readonly folder: string;
  /** What the suite is told, as JSON. */
  readonly settings: string;
}

/** One place where the suite runs. */
export interface Runtime {
  readonly name: string;
  /** In which kind of module or page. */
  readonly as: string;
  readonly facts: Facts;
  readonly run: (ground: Ground) => Promise<Run>;
}
