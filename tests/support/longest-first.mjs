import { statSync } from 'node:fs';
import { relative } from 'node:path';

/** Files that take long, in seconds on two processors. Roughly: only the order matters. */
const SECONDS = {
  'tests/e2e/launcher.test.ts': 105,
  'tests/e2e/failing-language-model.test.ts': 100,
  'tests/integration/hostile-inputs/hostile-inputs.test.ts': 90,
  'tests/e2e/first-call.test.ts': 72,
  'tests/browser/console.test.ts': 70,
  'tests/e2e/failing-text-to-speech.test.ts': 58,
  'tests/integration/scheduled-batches-run.test.ts': 53,
  'tests/integration/webhooks-delivered.test.ts': 52,
  'tests/e2e/failing-speech-to-text.test.ts': 48,
  'tests/e2e/worker-loss.test.ts': 47,
  'tests/integration/corpora/loading.test.ts': 45,
  'tests/integration/local-engines.test.ts': 40,
  'tests/e2e/phone-calls.test.ts': 40,
  'tests/integration/api/contract.test.ts': 40,
  'tests/browser/browser-call.test.ts': 40,
  'tests/integration/api/outages.test.ts': 26,
  'tests/integration/local-servers.test.ts': 23,
  'tests/e2e/dev.test.ts': 25,
  'tests/integration/retention.test.ts': 22,
  'tests/integration/providers-tts.test.ts': 22,
  'tests/integration/corpora/load-source.test.ts': 21,
  'tests/integration/lost-workers.test.ts': 20,
  'tests/e2e/sip-calls.test.ts': 18,
};

/** Runs long files first, so that the last ones to end are short; the others by their size. */
export default class LongestFirst {
  sort(tests) {
    const weighed = [...tests].map((test) => ({
      test,
      seconds: SECONDS[relative(test.context.config.rootDir, test.path)] ?? 0,
      bytes: statSync(test.path).size,
    }));
    return weighed.sort((a, b) => b.seconds - a.seconds || b.bytes - a.bytes).map(({ test }) => test);
  }

  allFailedTests(tests) {
    return tests;
  }

  cacheResults() {
    // The order is the same on every machine, also where nothing ran before.
  }
}
