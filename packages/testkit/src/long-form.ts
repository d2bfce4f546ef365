/** Whether this is `npm run test:long`: tests that exist in two sizes run in the larger one (docs/internals/testing.md). */
export const IS_LONG_FORM = process.env['TEST_LONG'] === '1';
