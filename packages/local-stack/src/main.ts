import { join, resolve } from 'node:path';
import { systemClock } from '@calls/foundation/clock';
import { readEnvironment } from '@calls/foundation/env-reader';
import { toError } from '@calls/foundation/errors';
import { SHARED_VARIABLES } from '@calls/foundation/shared-variables';
import { describeProviders, type EngineSummary } from '@calls/providers/config/describe-providers';
import { startDevStack } from './dev/dev-stack.ts';
import { findFreePort } from './free-port.ts';
import { DEFAULT_DATA_DIR, readLauncherConfig } from './launcher-config.ts';
import { defaultRestartPolicy } from './process/restart-policy.ts';
import { createTerminalReporter, seconds } from './reporter.ts';
import { inspectPortOf } from './stack-ports.ts';
import { instancesOf } from './stack-size.ts';
import { startStack, type Stack } from './stack.ts';
import { StopRequest } from './stop-request.ts';

/** Restarts do not wait for live calls to end. */
const DEV_DEFAULTS = { DRAIN_LIMIT_MS: '0' };

/** `npm start`, and with `--dev` `npm run dev`: the whole system on this machine until Ctrl-C. */
async function main(): Promise<number> {
  const startedMs = systemClock.nowMs();
  // The services outlive a pipe that is closed, or a file on a full disk.
  process.stdout.on('error', () => undefined);
  const isDev = process.argv.includes('--dev');
  const stopRequest = new StopRequest();
  const { ports, inspect, size, startLimitMs, dataDir, overrides, providers } = readEnvironment(
    process.env,
    readLauncherConfig,
  );

  print(`starting, data in ${dataDir}`);
  const partsDown: string[] = [];
  try {
    const options = {
      dataDir,
      ports,
      size,
      startLimitMs,
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
          ports: { ...ports, dev: { controlPlane: await findFreePort(), inspect } },
        })
      : await startStack(options);
    stopRequest.onSecondSignal = () => {
      for (const service of stack.processes.values()) service.signal('SIGKILL');
    };
    printSummary(stack, describeProviders(providers), systemClock.nowMs() - startedMs);
    const reason = await stopRequest.requested;
    print(`\nstopping (${reason}): live calls are drained; press Ctrl-C again to stop at once`);
    await stack[Symbol.asyncDispose]();
    if (partsDown.length === 0) {
      print('stopped');
      return 0;
    }
    const logs = partsDown.map((name) => join(stack.directory.logs, `${name}.log`)).join(', ');
    print(`stopped; see the end of ${logs}, fix the cause and start again`);
    return 1;
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
  admin API           http://127.0.0.1:${stack.ports.admin}, token in ${stack.adminTokenFile ?? 'ADMIN_TOKENS'}
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
  const port = ports.api === SHARED_VARIABLES.PORT.fallback ? '' : `PORT=${ports.api} `;
  const dataDir =
    directory.root === resolve(DEFAULT_DATA_DIR) ? '' : `DATA_DIR=${shellWord(directory.root)} `;
  return port + dataDir;
}

/** A text as one word of a shell command. */
function shellWord(text: string): string {
  return /^[\w./-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
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
