import { statSync } from 'node:fs';
import { relative } from 'node:path';

/** Approximate durations of long test files, in seconds on two processors. Only their order matters. */
const SECONDS = {
  'tests/e2e/failing-engines.test.ts': 200,
  'tests/browser/console.test.ts': 190,
  'tests/integration/malicious-inputs/malicious-inputs.test.ts': 40,
  'tests/integration/scheduled-batches-run.test.ts': 104,
  'tests/integration/api/contract.test.ts': 63,
  'tests/e2e/launcher.test.ts': 25,
  'tests/e2e/first-call.test.ts': 57,
  'tests/e2e/shared-stack.test.ts': 40,
  'tests/integration/webhooks-delivered.test.ts': 53,
  'tests/browser/browser-call.test.ts': 51,
  'tests/media/sip-failover.test.ts': 40,
  'tests/media/sip-registrations.test.ts': 45,
  'tests/media/sip-phone.test.ts': 40,
  'tests/integration/local-engines.test.ts': 46,
  'tests/integration/corpora/loading.test.ts': 46,
  'tests/e2e/phone-calls.test.ts': 42,
  'tests/media/webrtc-calls.test.ts': 35,
  'tests/integration/local-servers.test.ts': 33,
  'tests/integration/corpora/load-source.test.ts': 31,
  'tests/integration/api/outages.test.ts': 29,
  'tests/e2e/worker-loss.test.ts': 26,
  'tests/e2e/outbound-guard.test.ts': 25,
  'tests/media/lost-workers.test.ts': 25,
  'tests/integration/corpora/retrieval.test.ts': 24,
  'tests/e2e/dev.test.ts': 23,
  'tests/integration/providers-tts.test.ts': 23,
};

/**
 * Runs unit tests first, because they find most errors within half a minute, then files by decreasing duration, so that
 * the last ones to end are short.
 */
export default class Sequencer {
  sort(tests) {
    const weighed = [...tests].map((test) => ({
      test,
      isUnit: test.context.config.displayName?.name === 'unit',
      seconds: SECONDS[relative(test.context.config.rootDir, test.path)] ?? 0,
      bytes: statSync(test.path).size,
    }));
    return weighed
      .sort((a, b) => Number(b.isUnit) - Number(a.isUnit) || b.seconds - a.seconds || b.bytes - a.bytes)
      .map(({ test }) => test);
  }

  allFailedTests(tests) {
    return tests;
  }

  cacheResults() {
    // Stores no results, so that the order is the same on every machine.
  }
}
