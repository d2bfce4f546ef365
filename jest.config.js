import { globSync, readFileSync } from 'node:fs';

const LONG = '\\.long\\.test\\.ts$';
/** Their larger size, or their limits of time, are a part of `npm run test:long` (long-form.ts of the testkit). */
const IN_TWO_SIZES = globSync('{packages,services,tests}/**/*.test.ts', { exclude: ['**/node_modules'] })
  .filter((file) => /testkit\/long-form|failing-engines|TEST_LONG/u.test(readFileSync(file, 'utf8')))
  .map((file) => `<rootDir>/${file}`);
const NOT_SOURCES = ['/node_modules/', '/dist/', '/.data/', '/.cache/'];

/** Node loads test files itself and removes their types (tests/support/jest). */
const common = {
  testEnvironment: '<rootDir>/tests/support/jest/native-environment.mjs',
  testRunner: '<rootDir>/tests/support/jest/native-tests.mjs',
  transform: {},
  cacheDirectory: '<rootDir>/.cache/jest',
  modulePathIgnorePatterns: ['/.data/', '/.cache/'],
};

/** One PostgreSQL server for all files of a run. */
const servers = {
  globalSetup: '<rootDir>/tests/support/global-setup.ts',
  globalTeardown: '<rootDir>/tests/support/global-teardown.ts',
};

const suite = (name, testMatch, extra = {}) => ({
  ...common,
  displayName: name,
  testMatch,
  testPathIgnorePatterns: [...NOT_SOURCES, LONG],
  ...extra,
});

export default {
  reporters: ['default', '<rootDir>/tests/support/jest/cpu-reporter.mjs'],
  testSequencer: '<rootDir>/tests/support/sequencer.mjs',
  // Ends tests that hang. Nothing is tested for its speed here.
  testTimeout: 180_000,
  projects: [
    // Unit tests stand beside the code, the others in tests/.
    suite('unit', [
      '<rootDir>/{packages,services,examples}/**/*.test.ts',
      '<rootDir>/tests/{architecture,bench,conversation}/*.test.ts',
      '<rootDir>/{scripts,tests/packages}/**/*.test.mjs',
    ]),
    suite('api', ['<rootDir>/tests/integration/api/*.test.ts'], servers),
    suite(
      'integration',
      ['<rootDir>/tests/integration/**/*.test.ts', '!**/tests/integration/api/**'],
      servers,
    ),
    suite('media', ['<rootDir>/tests/media/*.test.ts'], servers),
    suite('e2e', ['<rootDir>/tests/e2e/**/*.test.ts'], servers),
    suite('browser', ['<rootDir>/tests/browser/*.test.ts'], servers),
    suite('long', ['**/*.long.test.ts', ...IN_TWO_SIZES], {
      ...servers,
      testPathIgnorePatterns: NOT_SOURCES,
    }),
  ],
};
