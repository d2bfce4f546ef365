/** Jest runs this once before the tests of a project that uses servers. */
export { makeClusterTemplate as default } from './cluster-template.ts';
