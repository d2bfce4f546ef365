/**
 * Pages under `docs/` that still have their old wording and layout: only their links are checked. Remove a page here when it is
 * rewritten or deleted.
 */
export const NOT_REWRITTEN: readonly string[] = [
  'architecture.md',
  'decisions.md',
  'dependencies.md',
  'performance.md',
  'threat-model.md',
  'turn-taking.md',
];
