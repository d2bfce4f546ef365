/** Unit tests stand beside the code; integration and end-to-end tests stand in tests/. */
const common = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2024', parser: { syntax: 'typescript' } }, module: { type: 'es6' } },
    ],
  },
  testPathIgnorePatterns: ['/node_modules/', '/dist-types/', '/.data/', '/.cache/'],
  modulePathIgnorePatterns: ['/.data/', '/.cache/'],
};

const suite = (name, testMatch, extra = {}) => ({ ...common, displayName: name, testMatch, ...extra });

export default {
  projects: [
    suite('unit', [
      '<rootDir>/{packages,services,examples,scripts}/**/*.test.ts',
      '<rootDir>/tests/{architecture,conversation}/*.test.ts',
    ]),
    suite('api', ['<rootDir>/tests/integration/api/*.test.ts']),
    suite('integration', ['<rootDir>/tests/integration/**/*.test.ts', '!**/tests/integration/api/**']),
    suite('e2e', ['<rootDir>/tests/e2e/**/*.test.ts']),
  ],
};
