/** The first terms whose UTF-8 text has at most `maxBytes` together. */
export function termsWithin(maxBytes: number, terms: readonly string[]): string[] {
  let bytes = 0;
  const end = terms.findIndex((term) => (bytes += Buffer.byteLength(term)) > maxBytes);
  return end === -1 ? [...terms] : terms.slice(0, end);
}
