import { systemClock } from '@calls/foundation/clock';
import type { EnvReader } from '@calls/foundation/env-reader';
import { toError } from '@calls/foundation/errors';
import { silentLogger } from '@calls/foundation/logger';
import { readProviderConfig } from '@calls/providers/config/provider-config';
import { Findings, findingText } from '../findings.ts';
import { examineEngines } from './examine-engines.ts';

const ENGINES_USAGE = `usage: npm run doctor -- engines

Speaks a sentence with each configured TTS engine, transcribes it with each STT engine, and asks each language model for
one sentence. Prints word errors and latencies. Reads the variables of the engines, as the services do. Engines that need
an account's key are not checked; GET /api/voices/{id}/preview checks their voices.
Exit code: 0 no problems, 1 problems found, 2 wrong usage.`;

/** Runs the check. Prints with \`say\`; returns the exit code. */
export async function runEngines(
  args: string[],
  env: EnvReader,
  say: (text: string) => void,
): Promise<number> {
  if (args.length > 0) {
    say(ENGINES_USAGE);
    return args[0] === '--help' ? 0 : 2;
  }
  const config = readProviderConfig(env);
  try {
    env.finish();
  } catch (thrown) {
    say(`${toError(thrown).message}\n\n${ENGINES_USAGE}`);
    return 2;
  }
  const findings = new Findings((finding) => say(findingText(finding)));
  await examineEngines(config, { clock: systemClock, log: silentLogger }, findings);
  const { errors } = findings;
  say(errors > 0 ? `\nProblems: ${errors}.` : '\nNo problems: all configured engines work.');
  return errors > 0 ? 1 : 0;
}
