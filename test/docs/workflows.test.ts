import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { read } from "./declarations.ts";

const manifest = JSON.parse(read("package.json"));

interface Job {
  if?: string;
  permissions?: Record<string, string>;
  steps: { uses?: string; run?: string; with?: Record<string, unknown> }[];
}

interface Workflow {
  on: object;
  permissions?: object;
  jobs: Record<string, Job>;
}

const workflows = readdirSync(new URL("../../.github/workflows", import.meta.url)).map((name) => {
  const text = read(`.github/workflows/${name}`);
  return { name, text, workflow: parse(text) as Workflow };
});
const jobs = workflows.flatMap(({ name, workflow }) =>
  Object.entries(workflow.jobs).map(([id, job]) => ({ name: `${name}: ${id}`, workflow, job })),
);
const steps = jobs.flatMap(({ job }) => job.steps);

describe("the GitHub workflows", () => {
  it("pin each action to a commit, with its version as a comment", () => {
    const uses = workflows.flatMap(({ text }) => text.match(/\buses: *.+$/gm) ?? []);
    expect(uses).toHaveLength(steps.filter((step) => step.uses).length);
    const pinned = /^uses: [\w-]+\/[\w-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/;
    expect(uses.filter((action) => !pinned.test(action))).toEqual([]);
  });

  it("grant permissions only to single jobs, and a pull request no permission to write", () => {
    for (const { workflow } of workflows) expect(workflow.permissions).toEqual({});
    expect(jobs.filter(({ job }) => typeof job.permissions !== "object")).toEqual([]);
    const writing = jobs
      .filter(({ workflow }) => "pull_request" in workflow.on)
      .filter(({ job }) => JSON.stringify(job.permissions).includes("write"))
      .map(({ name, job }) => [name, job.if]);
    expect(writing).toEqual([["docs.yml: deploy", "github.event_name == 'push'"]]);
  });

  it("run no code of the repository in a job that may publish", () => {
    const trusted = jobs.filter(({ job }) => job.permissions?.["id-token"] === "write");
    expect(trusted.map(({ name }) => name)).toEqual(["docs.yml: deploy", "release.yml: publish"]);
    const trustedSteps = trusted.flatMap(({ job }) => job.steps);
    const commands = trustedSteps.flatMap(({ run }) => run ?? []);
    expect(commands).toEqual(["npm publish ./*.tgz --provenance --access public"]);
    expect(trustedSteps.filter(({ uses }) => uses?.startsWith("actions/checkout@"))).toEqual([]);
  });

  it("use no secret but GitHub's token, keep it out of clones, and use no expression in a command", () => {
    const clones = steps.filter(({ uses }) => uses?.startsWith("actions/checkout@"));
    expect(clones.length).toBeGreaterThan(0);
    expect(clones.filter((step) => step.with?.["persist-credentials"] !== false)).toEqual([]);
    const secrets = workflows.flatMap(({ text }) => text.match(/\bsecrets\b\S*/g) ?? []);
    expect(secrets.filter((secret) => secret !== "secrets.GITHUB_TOKEN")).toEqual([]);
    expect(steps.filter(({ run }) => run?.includes("${{"))).toEqual([]);
  });

  it("run scripts that exist", () => {
    const commands = steps.map((step) => `${step.run} ${step.with?.["version"]}`).join("\n");
    const scripts = [...commands.matchAll(/npm run (?:--silent )?([\w:]+)/g)].map(([, name = ""]) => name);
    expect(scripts.length).toBeGreaterThan(3);
    expect(scripts.filter((script) => !(script in manifest.scripts))).toEqual([]);
  });
});
