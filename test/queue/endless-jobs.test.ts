import { expect, it, vi } from "vitest";
import { Adder } from "../../src/queue/add.ts";
import { JobCodec } from "../../src/queue/queued-job.ts";

/** Far more jobs than `add` checks before it lets timers run. */
const mostJobs = 300_000;

function* invalidJobs() {
  for (let count = 0; count < mostJobs; count++) yield { template: "t", values: null as never };
  throw new Error("Timers did not run.");
}

it("`add` is aborted by its signal if the jobs are endless and all invalid", async () => {
  const runs = { begin: async () => "run", register: async () => [], endAdd: vi.fn(async () => true) };
  const adder = new Adder({ runs } as never, new JobCodec({ prefix: "bull", name: "tests" }), {
    signal: AbortSignal.timeout(5),
  });
  await expect(adder.add("a", invalidJobs())).rejects.toMatchObject({ name: "TimeoutError" });
  expect(runs.endAdd).toHaveBeenCalledWith("run", expect.any(String), expect.stringContaining("failed"));
});
