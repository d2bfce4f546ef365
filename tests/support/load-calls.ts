import type { Database } from '@calls/store/store';
import { sql } from 'kysely';

const SETTINGS = {
  systemPrompt: 'You are Ada, the receptionist of a small hotel by the lake. '.repeat(12),
  model: 'svc-v0.7',
  temperature: 0,
  joinTimeout: '30s',
  maxDuration: '3600s',
  recordingEnabled: false,
  initialOutputMedium: 'MESSAGE_MEDIUM_VOICE',
  retentionPolicy: 'retain',
  firstSpeakerSettings: { agent: { text: 'Good morning, this is Ada. How can I help you?' } },
};
const WORDS =
  'promised explained refund delivery invoice address password account meeting doctor appointment tomorrow ' +
  'monday voucher room breakfast hotel train ticket luggage insurance claim damage repair visit engineer offer';

/** Rows per statement. Larger statements exceed the time limit of the pool. */
const BATCH = 2000;

/**
 * Inserts ended calls of `accountId` as in a year of use: one in ten unjoined, of 40 agents, by phone with different
 * numbers, with summaries and four metadata pairs (`plan` with 3 values, `customer` with 20,000, `channel` with 1,
 * `ticket` unique). `first`: number of the first call, from which unique values are derived.
 */
export async function loadCalls(
  db: Database,
  {
    accountId,
    voiceId,
    count,
    first = 1,
  }: { accountId: string; voiceId: string; count: number; first?: number },
): Promise<void> {
  const end = first + count - 1;
  for (let from = first; from <= end; from += BATCH) {
    const last = Math.min(end, from + BATCH - 1);
    await sql`
      insert into calls (call_id, account_id, created_at, expires_at, joined_at, ended_at, end_reason, voice_id,
        agent_id, billing_status, billed_duration_ms, short_summary, summary, metadata, settings)
      select gen_random_uuid(), ${accountId}, t, t + interval '1 hour',
        case when i % 10 > 0 then t + interval '2 seconds' end,
        t + make_interval(secs => 2 + i * 7919 % 600),
        case when i % 10 > 0 then 'hangup' else 'unjoined' end,
        ${voiceId}, lpad(to_hex(i % 40), 32, '0')::uuid,
        case when i % 10 > 0 then 'BILLING_STATUS_BILLED' else 'BILLING_STATUS_FREE_ZERO_EFFECTIVE_DURATION' end,
        case when i % 10 > 0 then (i * 7919 % 600 + 5) / 6 * 6000 else 0 end,
        'The caller asked about order ' || i || ' and received ' || words[1 + i % 27] || ' and ' ||
          words[1 + i * 11 % 27] || ' by the agent, who ' || words[1 + i % 2] || ' what comes next.',
        repeat('The caller wanted ' || words[1 + i % 27] || ' and the agent answered. ', 8),
        jsonb_build_object('plan', (array['gold', 'silver', 'bronze'])[1 + i % 3], 'customer', 'c' || i % 20000,
          'channel', 'web', 'ticket', md5(i::text)),
        jsonb_set(${JSON.stringify(SETTINGS)}::jsonb, '{medium}', jsonb_build_object('telephony1', jsonb_build_object(
          'outgoing', jsonb_build_object('from', '+4930123456', 'to', '+49170' || 1000000 + i))))
      from generate_series(${from}::integer, ${last}::integer) as i,
        lateral (select now() - make_interval(secs => i * 300) as t) as times,
        lateral (select string_to_array(${WORDS}, ' ') as words) as said`.execute(db);
  }
}
