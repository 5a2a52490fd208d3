import type { NodeOutputs } from "../document/node-outputs.ts";
import type { SettingAdvice } from "../request/setting-advice.ts";
import type { TransportPlatform } from "../transport/transport.ts";

/**
 * Everything that differs between platforms. The client imports `#platform`, and `imports` in package.json selects the file in this
 * folder.
 */
export interface Platform {
  readonly transports: TransportPlatform;
  readonly nodeOutputs: NodeOutputs;
  /** Explains mistakes in settings; `undefined` in browsers, where every visitor would load it. */
  readonly advice: SettingAdvice | undefined;
}
