import { join, resolve } from 'node:path';
import { systemClock } from '@calls/foundation/clock';
import { EnvReader } from '@calls/foundation/env-reader';
import { toError } from '@calls/foundation/errors';
import { describeProviders, type EngineSummary } from '@calls/providers/config/describe-providers';
import { readProviderConfig } from '@calls/providers/config/provider-config';
import { startDevStack } from './dev/dev-stack.ts';
import { findFreePort } from './free-port.ts';
import { defaultRestartPolicy } from './process/restart-policy.ts';
import { createTerminalReporter, seconds } from './reporter.ts';
import { LOOPBACK } from './servers/launch-server.ts';
import { inspectPortOf } from './stack-ports.ts';
import { instancesOf, MAX_METRICS_PORT, readRtcPorts, readSipPorts, readStackSize } from './stack-size.ts';
import { startStack, type Stack } from './stack.ts';
import { StopRequest } from './stop-request.ts';

const DEFAULT_PORT = 8080;

/** Restarts do not wait for live calls to end. */
const DEV_DEFAULTS = { DRAIN_LIMIT_MS: '0' };
const DEFAULT_DATA_DIR = join(import.meta.dirname, '../../../.data');

/** `npm start`, and with `--dev` `npm run dev`: the whole system on this machine until Ctrl-C. */
async function main(): Promise<number> {
  const startedMs = systemClock.nowMs();
  const isDev = process.argv.includes('--dev');
  const stopRequest = new StopRequest();
  const env = new EnvReader(process.env);
  const api = env.integer('PORT', { fallback: DEFAULT_PORT, min: 1, max: 65535 });
  const media = env.integer('MEDIA_PORT', { fallback: 8081, min: 1, max: 65535 });
  const metrics = env.integer('METRICS_PORT', { fallback: 9464, min: 1, max: MAX_METRICS_PORT });
  const size = readStackSize(env);
  const mediumPorts = { ...readRtcPorts(env, size['media-worker']), ...readSipPorts(env) };
  const inspect = env.integer('INSPECT_PORT', { fallback: 9229, min: 1, max: MAX_METRICS_PORT });
  const dataDir = env.string('DATA_DIR', DEFAULT_DATA_DIR);
  const overrides = {
    databaseUrl: env.optional('DATABASE_URL') && env.url('DATABASE_URL', ['postgres:', 'postgresql:']),
    redisUrl: env.optional('REDIS_URL') && env.url('REDIS_URL', ['redis:', 'rediss:']),
    natsUrl: env.optional('NATS_URL') && env.url('NATS_URL', ['nats:', 'tls:']),
  };
  const engines = readProviderConfig(env);
  env.finish();

  print(`starting, data in ${dataDir}`);
  const partsDown: string[] = [];
  try {
    const ports = { api, media, metrics, ...mediumPorts };
    const options = {
      dataDir,
      ports,
      size,
      overrides,
      env: isDev ? { ...DEV_DEFAULTS, ...process.env } : process.env,
      restart: defaultRestartPolicy,
      reporter: createTerminalReporter(print),
      signal: stopRequest.signal,
      onGivenUp: (name: string) => {
        partsDown.push(name);
        stopRequest.stop(`${name} is down`);
      },
    };
    const stack = isDev
      ? await startDevStack({
          ...options,
          ports: { ...ports, dev: { controlPlane: await findFreePort(LOOPBACK), inspect } },
        })
      : await startStack(options);
    stopRequest.onImpatience = () => {
      for (const service of stack.processes.values()) service.signal('SIGKILL');
    };
    printSummary(stack, describeProviders(engines), systemClock.nowMs() - startedMs);
    const why = await stopRequest.requested;
    print(`\nstopping (${why}): live calls are drained; press Ctrl-C again to stop at once`);
    await stack[Symbol.asyncDispose]();
    print('stopped');
    return partsDown.length === 0 ? 0 : 1;
  } catch (thrown) {
    if (stopRequest.signal.aborted) {
      print('stopped');
      return 1;
    }
    throw thrown;
  }
}

function printSummary(stack: Stack, engines: EngineSummary, tookMs: number): void {
  print(`
ready in ${seconds(tookMs).trim()}

  console             ${stack.apiUrl}/
  API                 ${stack.apiUrl}/api
  documentation       ${stack.apiUrl}/docs/
  API reference       ${stack.apiUrl}/docs/api
  join URLs           ${stack.mediaUrl}/join/…
  SIP                 port ${stack.ports.sip || 'any free one'}
  development key     in ${stack.directory.developmentKeyFile}
  logs                ${stack.directory.logs}/

  speech to text      ${engines.speechToText}
  language model      ${engines.languageModel}
  text to speech      ${engines.textToSpeech}
${inspectors(stack)}
A first call, in another terminal, with a recording to speak:

  ${toReach(stack)}npm run example:call -- examples/speech.wav

Ctrl-C stops everything.`);
}

function inspectors({ ports, size }: Stack): string {
  const lines = instancesOf(size, ports.metrics).flatMap((instance) => {
    const port = inspectPortOf(ports, instance);
    return port === undefined ? [] : [`  debugger            127.0.0.1:${port}  ${instance.name}\n`];
  });
  return lines.length === 0
    ? ''
    : `\n${lines.join('')}\nA change of a source file restarts the services that use it.\n`;
}

/** The variables that a command in another terminal needs to reach this stack. */
function toReach({ ports, directory }: Stack): string {
  const port = ports.api === DEFAULT_PORT ? '' : `PORT=${ports.api} `;
  const dataDir = directory.root === resolve(DEFAULT_DATA_DIR) ? '' : `DATA_DIR=${directory.root} `;
  return port + dataDir;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

main().then(
  (code) => process.exit(code),
  (thrown: unknown) => {
    process.stderr.write(`\n${toError(thrown).message}\n`);
    process.exit(1);
  },
);
