/** The only page of a list with one item. */
export function pageOf(item: unknown): Record<string, unknown> {
  return { results: [item], next: null, previous: null, total: 1 };
}
