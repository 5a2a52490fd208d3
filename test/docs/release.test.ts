import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { repository as address } from "../../docs/site/repository.mjs";
import { read, repository } from "./declarations.ts";

const manifest = JSON.parse(read("package.json"));
const namesIn = (folder: string) => readdirSync(join(repository, folder));

describe("a release", () => {
  it("has the same version in package.json, the lockfile and CHANGELOG.md", () => {
    const { version, packages } = JSON.parse(read("package-lock.json"));
    const [, newest] = /^## (.+)$/m.exec(read("CHANGELOG.md")) ?? [];
    const versions = { version, root: packages[""].version, newest };
    const expected = manifest.version;
    expect(versions).toEqual({ version: expected, root: expected, newest: expected });
  });

  it("has a lockfile that does not name a registry, so that it works with every registry", () => {
    const { packages } = JSON.parse(read("package-lock.json"));
    const resolved = Object.values<{ resolved?: string }>(packages).flatMap((entry) => entry.resolved ?? []);
    expect(resolved).toEqual([]);
  });

  it("has changesets only for this package, each with a bump type and a description", () => {
    const texts = namesIn(".changeset").filter((name) => name.endsWith(".md") && name !== "README.md");
    const valid = /^---\n"template-pdf": (?:major|minor|patch)\n---\n\n\S/;
    expect(texts.filter((name) => !valid.test(read(`.changeset/${name}`)))).toEqual([]);
  });

  it("is published with public access and provenance", () => {
    const [, name = ""] = /^https:\/\/github\.com\/([\w.-]+\/[\w.-]+)$/.exec(address) ?? [];
    expect(manifest).toMatchObject({
      repository: { url: `git+https://github.com/${name}.git` },
      bugs: { url: `https://github.com/${name}/issues` },
      homepage: `https://${name.toLowerCase().replace("/", ".github.io/")}/`,
      publishConfig: { access: "public", provenance: true },
    });
    expect(manifest.private).toBeUndefined();
  });
});

interface Job {
  if?: string;
  permissions?: Record<string, string>;
  steps: { uses?: string; run?: string; with?: Record<string, unknown> }[];
}

const workflows = namesIn(".github/workflows").map((name) => {
  const text = read(`.github/workflows/${name}`);
  const workflow: { on: object; permissions?: object; jobs: Record<string, Job> } = parse(text);
  return { name, text, workflow };
});
const jobs = workflows.flatMap(({ name, workflow }) =>
  Object.entries(workflow.jobs).map(([id, job]) => ({ name: `${name}: ${id}`, workflow, job })),
);
const steps = jobs.flatMap(({ job }) => job.steps);

describe("the GitHub workflows", () => {
  it("pin each action to a commit, with the action's version in a comment", () => {
    const uses = workflows.flatMap(({ text }) => text.match(/\buses: *.+$/gm) ?? []);
    expect(uses).toHaveLength(steps.filter((step) => step.uses).length);
    const pinned = /^uses: [\w-]+\/[\w-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/;
    expect(uses.filter((action) => !pinned.test(action))).toEqual([]);
  });

  it("grant permissions only to individual jobs", () => {
    for (const { workflow } of workflows) expect(workflow.permissions).toEqual({});
    expect(jobs.filter(({ job }) => typeof job.permissions !== "object")).toEqual([]);
    const writing = jobs
      .filter(({ workflow }) => "pull_request" in workflow.on)
      .filter(({ job }) => JSON.stringify(job.permissions).includes("write"))
      .map(({ name, job }) => [name, job.if]);
    expect(writing).toEqual([["docs.yml: deploy", "github.event_name == 'push'"]]);
  });

  it("do not run code from the repository in a job that can publish", () => {
    const trusted = jobs.filter(({ job }) => job.permissions?.["id-token"] === "write");
    expect(trusted.map(({ name }) => name)).toEqual(["docs.yml: deploy", "release.yml: publish"]);
    const trustedSteps = trusted.flatMap(({ job }) => job.steps);
    const commands = trustedSteps.flatMap(({ run }) => run ?? []);
    expect(commands).toEqual(["npm publish ./*.tgz --provenance --access public"]);
    expect(trustedSteps.filter(({ uses }) => uses?.startsWith("actions/checkout@"))).toEqual([]);
  });

  it("do not use any secret except GitHub's token, and do not store the token in clones", () => {
    const clones = steps.filter(({ uses }) => uses?.startsWith("actions/checkout@"));
    expect(clones.length).toBeGreaterThan(0);
    expect(clones.filter((step) => step.with?.["persist-credentials"] !== false)).toEqual([]);
    const secrets = workflows.flatMap(({ text }) => text.match(/\bsecrets\b\S*/g) ?? []);
    expect(secrets.filter((secret) => secret !== "secrets.GITHUB_TOKEN")).toEqual([]);
    expect(steps.filter(({ run }) => run?.includes("${{"))).toEqual([]);
  });

  it("run only npm scripts that exist", () => {
    const commands = steps.map((step) => `${step.run} ${step.with?.["version"]}`).join("\n");
    const scripts = [...commands.matchAll(/npm run (?:--silent )?([\w:]+)/g)].map(([, name = ""]) => name);
    expect(scripts.length).toBeGreaterThan(3);
    expect(scripts.filter((script) => !(script in manifest.scripts))).toEqual([]);
  });
});
