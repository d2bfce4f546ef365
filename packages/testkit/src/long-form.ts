/** Whether this is `npm run test:long`: tests that exist in two sizes run in the larger one (docs/internals/testing.md). */
export const IS_LONG_FORM = process.env['TEST_LONG'] === '1';

/**
 * Throws if something took longer than it may on a machine that does nothing else. Only `npm run test:long` has such a machine;
 * elsewhere this does nothing.
 */
export function requireQuick(tookMs: number, limitMs: number): void {
  if (IS_LONG_FORM && tookMs >= limitMs)
    throw new Error(`took ${tookMs} ms, which is not below ${limitMs} ms`);
}
