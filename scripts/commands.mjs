import { releaseImage } from './release/image.mjs';
import { pack } from './release/pack.mjs';
import { release } from './release/release.mjs';
import { runNode } from './run-node.mjs';
import { runLongTests, runTests } from './run-tests.mjs';
import { dependencies, formatting, lint, runChecks, staticChecks } from './checks.mjs';

/** The folder in which the user entered the command; file names in arguments are relative to it. */
const callerFolder = process.env.INIT_CWD || process.cwd();

/**
 * `needs` names groups of programs (setup/debian-packages.mjs) and builds (setup/builds.mjs); with `webRtc`,
 * the process gets the path of mediasoup's worker (setup/mediasoup-worker/); `run` resolves to the exit code.
 */
export const commands = {
  start: {
    needs: ['servers', 'speech', 'console', 'docs-site'],
    webRtc: true,
    run: (node, args) => runNode(node, ['packages/local-stack/src/main.ts', ...args], { ipc: true }),
  },
  /** Like `start`, with restarts on change, hot reload of the console, and debugger ports. */
  dev: {
    needs: ['servers', 'speech'],
    webRtc: true,
    run: (node, args) => runNode(node, ['packages/local-stack/src/main.ts', '--dev', ...args], { ipc: true }),
  },
  test: { needs: ['servers', 'speech', 'test', 'console', 'docs-site'], webRtc: true, run: runTests },
  'test:long': {
    needs: ['servers', 'speech', 'test', 'long-test', 'console', 'docs-site'],
    webRtc: true,
    run: runLongTests,
  },
  setup: {
    needs: ['servers', 'speech', 'test', 'console', 'docs-site'],
    webRtc: true,
    run: () => {
      console.log('everything is set up');
      return Promise.resolve(0);
    },
  },
  bench: {
    needs: ['servers', 'speech', 'test'],
    webRtc: true,
    run: (node, args) => runNode(node, ['tests/bench/main.ts', ...args], { cwd: callerFolder }),
  },
  /** Runs calls with injected faults of every kind, and then checks all of them. */
  chaos: {
    needs: ['servers', 'speech', 'test'],
    webRtc: true,
    run: (node, args) => runNode(node, ['tests/chaos/main.ts', ...args], { cwd: callerFolder }),
  },
  /** Runs planned stops during live calls. */
  drill: {
    needs: ['servers', 'speech', 'test'],
    webRtc: true,
    run: (node, args) => runNode(node, ['tests/drill/main.ts', ...args], { cwd: callerFolder }),
  },
  /** Manages accounts through the admin API. */
  admin: {
    needs: [],
    run: (node, args) =>
      runNode(node, ['services/control-plane/src/admin-cli/main.ts', ...args], { cwd: callerFolder }),
  },
  /** Replays the recorded events of a call through its turn-taking. */
  replay: {
    needs: [],
    run: (node, args) =>
      runNode(node, ['packages/object-storage/src/call-objects/replay/main.ts', ...args], {
        cwd: callerFolder,
      }),
  },
  /** Tests an agent with simulated callers. */
  simulate: {
    needs: ['speech'],
    run: (node, args) =>
      runNode(node, ['packages/simulation/src/cli/main.ts', ...args], { cwd: callerFolder }),
  },
  /** Finds what prevents calls from a browser. */
  doctor: {
    needs: [],
    run: (node, args) => runNode(node, ['packages/doctor/src/main.ts', ...args], { cwd: callerFolder }),
  },
  'example:call': {
    needs: [],
    run: (node, args) => runNode(node, ['examples/call.ts', ...args], { cwd: callerFolder }),
  },
  'example:browser': { needs: [], run: (node) => runNode(node, ['examples/browser-call.ts']) },
  'example:shop': { needs: [], run: (node) => runNode(node, ['examples/shop.ts']) },
  /** Plays recorded conversations and writes the results in docs/internals/recorded-conversations.md. */
  'turn-matrix': {
    needs: ['speech', 'test'],
    run: (node) => runNode(node, ['tests/conversation/turn-matrix/main.ts']),
  },
  /**
   * Writes the typed API client from the operations of the contract, and the lists of variables and metrics from their
   * declarations.
   */
  generate: {
    needs: [],
    run: async (node) =>
      (await runNode(node, ['packages/api-client/src/generate.ts'])) ||
      (await runNode(node, ['tests/support/reference-lists.ts'])),
  },
  /** Determines the next version and writes its changelog and tag. */
  release: { needs: [], run: release },
  /** Writes the tarballs of the npm packages. */
  'release:packages': { needs: [], run: pack },
  /** Builds the container image of the version. */
  'release:image': { needs: [], run: releaseImage },
  check: {
    needs: [],
    run: (node) =>
      runChecks(
        node,
        staticChecks.map((check) => [check]),
      ),
  },
  audit: { needs: [], run: (node) => runChecks(node, [[dependencies]]) },
  lint: { needs: [], run: (node) => runChecks(node, [[lint], [formatting]]) },
  format: { needs: [], run: (node) => runNode(node, ['node_modules/oxfmt/bin/oxfmt']) },
};
