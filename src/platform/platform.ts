import type { NodeOutputs } from "../document/node-outputs.ts";
import type { ResolvedOptions } from "../options/client-options.ts";
import type { Advice } from "../request/advice.ts";
import type { TransportPool, TransportSettings } from "../transport/transport.ts";

/**
 * Everything that differs between platforms. The client imports `#platform`, for which `imports` in package.json selects a file in
 * this folder.
 */
export interface Platform {
  /** Creates the connections of a client, which are opened on demand. */
  openPool(): TransportPool;
  /**
   * Checks a new client's options. @throws {ConfigurationError} if the caller's dispatcher, or the proxy for the service, cannot be
   * used
   */
  checkTransport(options: TransportSettings & Pick<ResolvedOptions, "endpoint" | "needsPage">): void;
  readonly nodeOutputs: NodeOutputs;
  /** The `user-agent` header; `undefined` in browsers, which send their own. */
  readonly userAgent: string | undefined;
  /** Explains mistakes in settings, and error responses; `undefined` in browsers, where every visitor would load it. */
  readonly advice: Advice | undefined;
}
