import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { replayTrace } from '@calls/conversation/replay/replay-trace';
import { timelineOf } from '@calls/conversation/replay/timeline';
import { parseTrace } from '@calls/conversation/replay/trace';
import { EnvReader } from '@calls/foundation/env-reader';
import { toError } from '@calls/foundation/errors';
import { readObjectStorageConfig } from '../../config.ts';
import { findTrace, testOfTrace } from './traces.ts';

const USAGE = `usage: npm run replay -- <call id | file.jsonl> [--as-test [--out <file>]]

Replays the recorded turn-taking inputs of a call with the current code and compares the decisions.
Exit code: 0 same decisions, 1 otherwise, 2 trace not found.`;

/** The data folder of `npm start`. */
const LAUNCHERS_DATA_DIR = join(import.meta.dirname, '../../../../../.data');

const { values, positionals } = readArguments();
const [named] = positionals;
if (values.help === true) print(USAGE);
else process.exitCode = named === undefined ? fail(USAGE) : await replay(named);

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: { 'as-test': { type: 'boolean' }, out: { type: 'string' }, help: { type: 'boolean' } },
    });
  } catch (thrown) {
    return process.exit(fail(`${toError(thrown).message}\n\n${USAGE}`));
  }
}

async function replay(call: string): Promise<number> {
  const env = new EnvReader({ DATA_DIR: LAUNCHERS_DATA_DIR, ...process.env });
  const storage = readObjectStorageConfig(env);
  env.finish();
  if (storage.kind === 's3' && !call.endsWith('.jsonl')) {
    return fail(
      'Download the trace from the bucket (traces/<account id>/<call id>.jsonl), and name the file.',
    );
  }
  const directory = storage.kind === 's3' ? '' : storage.directory;
  const text = await findTrace(directory, call);
  if (text === null) {
    return fail(`No trace of ${call} in ${directory}. Workers record traces with CALL_TRACES=true.`);
  }
  const trace = parseTrace(text);
  if (values['as-test'] === true) {
    if (values.out === undefined) print(testOfTrace(trace));
    else await writeFile(values.out, testOfTrace(trace));
    return 0;
  }
  const steps = replayTrace(trace);
  print(timelineOf(steps).join('\n'));
  const other = steps.filter(({ isSame }) => !isSame).length;
  print(
    other === 0
      ? `\n${steps.length} events, all with the same decisions as in the call.`
      : `\n${steps.length} events, ${other} with other decisions than in the call (- then, + now).`,
  );
  return other === 0 ? 0 : 1;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function fail(message: string): number {
  process.stderr.write(`${message}\n`);
  return 2;
}
