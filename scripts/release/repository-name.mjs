// @ts-check

/**
 * Reads `owner/name` on GitHub from any of its spellings: `git+https://github.com/o/n.git`, `git@github.com:o/n`.
 *
 * @param {string} url
 */
export function repositoryName(url) {
  return /github\.com[/:]([\w.-]+\/[\w.-]+?)(?:\.git)?\/?$/.exec(url.trim())?.[1];
}
