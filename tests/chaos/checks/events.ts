import type { CallerReport } from '../caller-report.ts';
import type { StoredCall } from '../stored-rows.ts';
import type { AddViolation } from '../verdict.ts';

/** Entries of a call's log on the bus, in order. */
export type LoggedCall = readonly { seq: number; epoch: number; type: string }[];

/** Checks that each log entry was applied once, and that each message is stored once. */
export function checkEvents(
  call: StoredCall,
  logged: LoggedCall | null,
  report: CallerReport | null,
  addViolation: AddViolation,
): void {
  const { callId, log } = call;
  const types = log.map(({ type }) => type);
  const gap = log.findIndex(({ seq }, index) => seq !== index + 1);
  if (gap >= 0)
    addViolation('event rows', `${callId} has ${log[gap]?.seq} for event ${gap + 1} of ${log.length}`);
  const ends = types.filter((type) => type === 'ended').length;
  if (ends !== 1) addViolation('event rows', `${callId} has ${ends} ends among its events`);
  else if (types.at(-1) !== 'ended')
    addViolation(
      'event rows',
      `${callId} has events after its end: ${types.slice(types.indexOf('ended') + 1).join(', ')}`,
    );
  const joins = types.filter((type) => type === 'joined').length;
  if (joins !== (call.joinedMs === null ? 0 : 1)) addViolation('event rows', `${callId} has ${joins} joins`);
  if (logged) checkLog(callId, logged, call, addViolation);
  checkMessages(call, report, addViolation);
}

function checkLog(callId: string, logged: LoggedCall, { log }: StoredCall, addViolation: AddViolation): void {
  for (const [index, { seq, epoch }] of logged.entries()) {
    if (seq !== index + 1) addViolation('logs', `${callId} has seq ${seq} at place ${index + 1} of its log`);
    const before = logged[index - 1]?.epoch ?? 0;
    // The entry that the reaper appends may have no epoch.
    if (epoch < before) addViolation('logs', `${callId} has epoch ${epoch} after ${before}`);
  }
  const missing = logged.filter(({ seq, type }) => log[seq - 1]?.type !== type);
  if (missing.length > 0 || logged.length !== log.length) {
    const first = missing[0] ? `, the first ${missing[0].seq} ${missing[0].type}` : '';
    addViolation('logs', `${callId} has ${logged.length} entries in its log and ${log.length} rows${first}`);
  }
}

function checkMessages(call: StoredCall, report: CallerReport | null, addViolation: AddViolation): void {
  const { callId, messages } = call;
  const nextIndex = new Map<string, number>();
  for (const { stageId, index } of messages) {
    const expected = nextIndex.get(stageId) ?? 0;
    if (index !== expected)
      addViolation('message rows', `${callId} has message ${index} where ${expected} was due`);
    nextIndex.set(stageId, index + 1);
  }
  if (!report) return;
  const times = new Map<string, number>();
  for (const { role, text } of messages) {
    if (role === 'MESSAGE_ROLE_USER') times.set(text, (times.get(text) ?? 0) + 1);
  }
  for (const [text, count] of times) {
    if (count > 1)
      addViolation('message rows', `${callId} has ${count} copies of a text that was sent once: ${text}`);
  }
  const said = new Set(report.said);
  for (const text of times.keys()) {
    if (!said.has(text))
      addViolation('message rows', `${callId} has a text that the caller did not send: ${text}`);
  }
  for (const { text } of report.answered) {
    if (!times.has(text))
      addViolation('lost words', `${callId} lost a text that was sent and answered: ${text}`);
  }
}
