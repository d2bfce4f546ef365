/** Unit tests stand beside the code, the others in tests/. */
const common = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2024', parser: { syntax: 'typescript' } }, module: { type: 'es6' } },
    ],
  },
  testPathIgnorePatterns: ['/node_modules/', '/dist/', '/dist-types/', '/.data/', '/.cache/'],
  modulePathIgnorePatterns: ['/.data/', '/.cache/'],
  setupFilesAfterEnv: ['<rootDir>/tests/support/patience.ts'],
};

/** With real servers: PostgreSQL clusters are copied from one that is made once a run. */
const servers = {
  globalSetup: '<rootDir>/tests/support/global-setup.ts',
  globalTeardown: '<rootDir>/tests/support/global-teardown.ts',
};

const suite = (name, testMatch, extra = {}) => ({ ...common, displayName: name, testMatch, ...extra });

export default {
  testSequencer: '<rootDir>/tests/support/longest-first.mjs',
  projects: [
    suite('unit', [
      '<rootDir>/{packages,services,examples}/**/*.test.ts',
      '<rootDir>/tests/{architecture,conversation}/*.test.ts',
      '<rootDir>/scripts/**/*.test.mjs',
    ]),
    suite('api', ['<rootDir>/tests/integration/api/*.test.ts'], servers),
    suite(
      'integration',
      ['<rootDir>/tests/integration/**/*.test.ts', '!**/tests/integration/api/**'],
      servers,
    ),
    suite('e2e', ['<rootDir>/tests/e2e/**/*.test.ts'], servers),
    suite('browser', ['<rootDir>/tests/browser/*.test.ts'], servers),
    suite('load', ['<rootDir>/tests/load/*.test.ts'], servers),
  ],
};
