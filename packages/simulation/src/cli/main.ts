import { join } from 'node:path';
import { delay, systemClock } from '@calls/foundation/clock';
import { EnvReader } from '@calls/foundation/env-reader';
import { AppError, toError } from '@calls/foundation/errors';
import { silentLogger } from '@calls/foundation/logger';
import { ValidationError } from '@calls/foundation/schema/validator';
import { text } from '@calls/foundation/variable';
import { readProviderConfig, type ProviderConfig } from '@calls/providers/config/provider-config';
import { openVoiceMode } from '../call/voice-mode.ts';
import { readOptions, USAGE, type CliOptions } from './options.ts';

/** Transcripts of embedded speech-to-text, for later runs. */
const TRANSCRIPTS = join(import.meta.dirname, '../../../../.cache/simulate/transcripts');

/** Time in which the engines start their threads and processes. */
const ENGINE_START_MS = 20;

const VARIABLES = {
  PORT: text({ default: '8080', meaning: 'Port of the REST API and the console.' }),
  API_KEY: text({ unset: 'the key of `npm start`', meaning: 'API key for agents by id' }),
};

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  if (args.includes('--help')) {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  try {
    const env = new EnvReader(process.env);
    const config = readProviderConfig(env);
    const { API_KEY, PORT } = env.read(VARIABLES);
    env.finish();
    const given = readOptions(args, `http://localhost:${PORT}`);
    const options = { ...given, key: given.key ?? API_KEY };
    if (options.fromCall === null) return await simulateWithEngines(options, config);
    const { printScenarioOf } = await import('./simulate.ts');
    await printScenarioOf(options.fromCall, options);
    return 0;
  } catch (thrown) {
    const isUsage = thrown instanceof AppError && thrown.code === 'usage';
    process.stderr.write(`${errorText(thrown)}${isUsage ? '\nSee --help.' : ''}\n`);
    return 2;
  }
}

/** The engines load their models in other threads and processes, while this thread loads the other modules. */
async function simulateWithEngines(options: CliOptions, config: ProviderConfig): Promise<number> {
  const voiceMode =
    options.mode === 'voice' && !options.isLive
      ? openVoiceMode(config, { clock: systemClock, log: silentLogger }, TRANSCRIPTS)
      : null;
  const opened = voiceMode?.catch(() => null);
  try {
    if (voiceMode) await delay(systemClock, ENGINE_START_MS, new AbortController().signal);
    const { simulate } = await import('./simulate.ts');
    return await simulate(options, config, voiceMode);
  } finally {
    await (await opened)?.[Symbol.asyncDispose]();
  }
}

function errorText(thrown: unknown): string {
  if (!(thrown instanceof ValidationError)) return toError(thrown).message;
  return [thrown.message, ...thrown.issues.slice(1).map(({ path, message }) => `${path} ${message}`)].join(
    '\n',
  );
}
