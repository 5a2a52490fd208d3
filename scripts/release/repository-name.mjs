// @ts-check

/**
 * `owner/name` on GitHub, from any of the ways to write it: `git+https://github.com/o/n.git`, `git@github.com:o/n`.
 *
 * @param {string} url
 * @returns {string | undefined}
 */
export function repositoryName(url) {
  return /github\.com[/:]([\w.-]+\/[\w.-]+?)(?:\.git)?\/?$/.exec(url.trim())?.[1];
}

/**
 * What is wrong with the places that package.json names: all of them follow from `repository`.
 *
 * @param {{ repository?: { url?: string }, homepage?: string, bugs?: { url?: string } }} manifest
 * @returns {string | undefined}
 */
export function placesMistake({ repository, homepage, bugs }) {
  const name = repositoryName(repository?.url ?? "");
  if (name === undefined) return "`repository` of package.json names no repository on GitHub";
  const [owner, project] = name.split("/");
  const wanted = {
    "repository.url": [repository?.url, `git+https://github.com/${name}.git`],
    "bugs.url": [bugs?.url, `https://github.com/${name}/issues`],
    homepage: [homepage, `https://${owner?.toLowerCase()}.github.io/${project}/`],
  };
  const wrong = Object.entries(wanted).filter(([, [is, should]]) => is !== should);
  if (wrong.length === 0) return undefined;
  return wrong.map(([field, [is, should]]) => `\`${field}\` is ${is} instead of ${should}`).join(", ");
}
