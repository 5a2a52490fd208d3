// The native side of React Native, which Hermes evaluates before a bundle. It prints commands for the test, which are JSON after an
// `@`, and the test evaluates its answers. Then what Hermes has learned since 0.12, the last version whose virtual machine is on npm.

const calls = [];
const timers = [];
const callable = {};
let lastRequest = 0;

function tell(command) {
  globalThis.print(`@${JSON.stringify(command)}`);
}

function ask(command) {
  return new Promise((resolve) => {
    tell({ ...command, reply: calls.push(resolve) - 1 });
  });
}

globalThis.host = {
  fire: (timer) => timers[timer]?.(),
  emit: (event, args) => callable.RCTDeviceEventEmitter().emit(event, args),
  reply: (call, result) => calls[call](result),
};

const modules = {
  PlatformConstants: { getConstants: () => ({ reactNativeVersion: {} }) },
  NativePerformanceCxx: { now: Date.now },
  NativeMicrotasksCxx: { queueMicrotask: (run) => Promise.resolve().then(run) },
  Networking: {
    addListener() {},
    removeListeners() {},
    abortRequest: (id) => tell({ type: "abort", id }),
    sendRequest(...args) {
      // iOS passes an object, and receives the id.
      const [query, answer] = args;
      const isAndroid = typeof query === "string";
      const id = isAndroid ? args[2] : ++lastRequest;
      const { method, url, headers, data, responseType } = isAndroid
        ? { method: query, url: args[1], headers: args[3], data: args[4], responseType: args[5] }
        : { ...query, headers: Object.entries(query.headers) };
      if (!isAndroid) answer(id);
      tell({ type: "send", id, method, url, headers, body: data.string, responseType });
    },
  },
  BlobModule: {
    getConstants: () => ({ BLOB_URI_SCHEME: "blob", BLOB_URI_HOST: null }),
    addNetworkingHandler() {},
    createFromParts() {},
    release() {},
  },
  FileReaderModule: {
    readAsDataURL: ({ blobId }) => ask({ type: "read", blobId, encoding: "base64" }),
    readAsText: ({ blobId }) => ask({ type: "read", blobId, encoding: "utf8" }),
  },
};

Object.assign(globalThis, {
  RN$Bridgeless: true,
  RN$registerCallableModule: (name, load) => {
    callable[name] = load;
  },
  // biome-ignore lint/style/useNamingConvention: React Native calls it so.
  __turboModuleProxy: (name) => modules[name] ?? null,
  nativeModuleProxy: {},
  nativeLoggingHook: (message) => globalThis.print(message),
  nativePerformanceNow: Date.now,
  setTimeout(run, delayMs, ...args) {
    const timer = timers.push(() => run(...args)) - 1;
    tell({ type: "timer", timer, delayMs });
    return timer;
  },
  clearTimeout(timer) {
    delete timers[timer];
  },
});

function at(index) {
  return this[index < 0 ? this.length + index : index];
}
for (const { prototype } of [Array, String, Object.getPrototypeOf(Uint8Array)]) {
  Object.defineProperty(prototype, "at", { value: prototype.at ?? at });
}

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

globalThis.btoa ??= (binary) => {
  const bits = Array.from(binary, (one) => one.charCodeAt(0).toString(2).padStart(8, "0")).join("");
  const groups = bits.match(/.{1,6}/g) ?? [];
  const text = groups.map((group) => digits[Number.parseInt(group.padEnd(6, "0"), 2)]).join("");
  return text.padEnd(Math.ceil(text.length / 4) * 4, "=");
};

globalThis.TextEncoder ??= function TextEncoder() {
  this.encode = (text) => Uint8Array.from(unescape(encodeURIComponent(text)), (byte) => byte.charCodeAt(0));
  this.encodeInto = (text, target) => {
    let read = text.length;
    while (this.encode(text.slice(0, read)).length > target.length) read--;
    return { read };
  };
};

Promise.allSettled ??= (promises) => {
  const settle = (promise) =>
    promise.then(
      (value) => ({ status: "fulfilled", value }),
      (reason) => ({ status: "rejected", reason }),
    );
  return Promise.all(Array.from(promises, settle));
};
