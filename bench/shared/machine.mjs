import { arch, cpus, loadavg, platform } from "node:os";

/** Describes this machine, and warns if it is busy. */
export function describeMachine() {
  const all = cpus();
  const machine = {
    node: process.version,
    platform: `${platform()} ${arch()}`,
    cores: all.length,
    processor: all[0]?.model.trim() ?? "unknown",
    loadBefore: Number((loadavg()[0] ?? 0).toFixed(1)),
  };
  const { node, cores, loadBefore } = machine;
  console.log(`Node ${node}, ${cores} cores, load ${loadBefore}`);
  if (loadBefore > cores) console.log("The machine is busy: repeat the measurement before you trust it.");
  return machine;
}

/** Returns the date and the machine of a measurement as a sentence. */
export function circumstancesOf({ date, machine, server }) {
  const { node, cores, processor, platform, loadBefore } = machine;
  const busy = loadBefore > cores ? ": **the machine was busy, so the figures are imprecise**" : "";
  const answering = server ? `; ${server}` : "";
  return `${date}, Node ${node}, ${cores} cores (${processor}), ${platform}${answering}; load ${loadBefore} before the start${busy}.`;
}
