import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { serviceOf } from '../../chaos/faults.ts';
import { Api } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { postgresFolder, queryOne } from '../../support/postgres-programs.ts';
import type { DrillOptions } from '../drill-options.ts';
import { startDrillStack } from '../drill-stack.ts';
import { earlierRelease } from './earlier-release.ts';
import {
  readStoredCall,
  RECORD_FILE,
  RECORDED_KEYS,
  ROWS_FILE,
  type RecordedRelease,
} from './recorded-release.ts';
import { StoredData } from './stored-data.ts';

const MAX_DUMP_BYTES = 64 * 1024 * 1024;
/** Tables that migrations of the release itself write. */
const NOT_RECORDED = ['kysely_migration', 'kysely_migration_lock'];

/** Records the stored data of an earlier release, for the test that reads it with the current release. */
export async function recordRelease(
  { from, size, dataDir }: Pick<DrillOptions, 'from' | 'size' | 'dataDir'>,
  say: (line: string) => void,
): Promise<void> {
  const release = await earlierRelease(from);
  say(`starting ${release.name}`);
  await using drill = await startDrillStack(
    { kind: 'upgrade', calls: 1, size, dataDir },
    {
      moduleFile: (module) => join(release.folder, module),
      startEnv: (service) =>
        service === 'media-worker' ? { JOIN_TOKEN_SECRET: RECORDED_KEYS.JOIN_TOKEN_SECRET } : RECORDED_KEYS,
    },
  );
  const { stack } = drill;
  const { databaseUrl, natsUrl } = stack.servers;
  await using data = await StoredData.create(stack);
  const api = new Api(stack);
  const { call, client } = await api.startCall({
    initialOutputMedium: 'MESSAGE_MEDIUM_TEXT',
    maxDuration: '3600s',
  });
  await client.until('the call to start', () => client.messages.length > 0);
  client.send({ type: 'user_text_message', text: 'my name is Grete' });
  const { callId } = call;
  await eventually(async () => {
    const said = (await api.messages(callId)).map(({ text }) => text ?? '');
    if (said.filter((text) => text.includes('Grete')).length < 2) throw new Error('no answer is stored yet');
  });
  const isWorker = (name: string): boolean => serviceOf(name) === 'media-worker';
  const names = [...stack.processes.keys()];
  for (const name of names.filter((each) => !isWorker(each))) await stack.processes.get(name)?.stop();
  for (const name of names.filter(isWorker)) await stack.processes.get(name)?.kill();
  const newest = 'select name from kysely_migration order by name desc limit 1';
  const { name: lastMigration } = (await queryOne(databaseUrl, newest)) as { name: string };
  const record: RecordedRelease = {
    release: release.id,
    recordedAtMs: Date.now(),
    lastMigration,
    apiKey: stack.developmentKey,
    snapshots: data.snapshots,
    liveCallId: callId,
    agentId: data.agentId,
    ...(await readStoredCall(natsUrl, callId)),
  };
  await mkdir(dirname(RECORD_FILE), { recursive: true });
  await writeFile(RECORD_FILE, `${JSON.stringify(record, null, 2)}\n`);
  await writeFile(ROWS_FILE, await dumpRows(databaseUrl));
  say(`recorded ${names.length} processes in ${dirname(RECORD_FILE)}`);
}

/** Dumps all rows except the catalogues, which each start writes. */
async function dumpRows(databaseUrl: string): Promise<string> {
  const args = ['--data-only', '--column-inserts', ...NOT_RECORDED.map((name) => `--exclude-table=${name}`)];
  const pgDump = join(await postgresFolder(), 'pg_dump');
  const { stdout } = await promisify(execFile)(pgDump, [...args, databaseUrl], { maxBuffer: MAX_DUMP_BYTES });
  const lines = stdout.split('\n').filter((line) => !/^(?:\\|--|SET |SELECT pg_catalog|\s*$)/u.test(line));
  return `${lines.join('\n')}\n`;
}
