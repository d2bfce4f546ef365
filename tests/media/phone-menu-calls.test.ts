import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { CallToolSpec } from '@calls/api-contract/call-spec';
import { BUILT_IN_TOOLS } from '@calls/call-lifecycle/creation/tools/built-in-tools';
import { startAiStandIn, type AiStandIn } from '@calls/testkit/ai-stand-in/start-ai-stand-in';
import { agentSpeaksFirst, callSpec, sipSpec, stageSpec } from '@calls/testkit/call-spec';
import { PhoneMenuOperator, type MenuLevel } from '../support/sip/phone-menu.ts';
import { describeWithPhone, SoftPhone } from '../support/sip/soft-phone.ts';
import { WorkerPool } from '../support/worker-pool.ts';

const LIMIT_MS = 300_000;

const LEVELS: readonly MenuLevel[] = [
  { parts: ['Welcome to the hotel.', 'For sales, press one.', 'For service, press two.'], key: '2' },
  { parts: ['For the kitchen, press three.', 'For the front desk, press four.'], key: '4' },
  { parts: ['You have reached the front desk. We are closed.'], key: null },
];

const toolCall = (name: string, values: Record<string, unknown>) => ({
  text: '',
  toolCalls: [{ name, arguments: values }],
});

function builtIn(name: 'playDtmfSounds' | 'hangUp'): CallToolSpec {
  const tool = BUILT_IN_TOOLS.find((each) => each.name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  const { description, dynamicParameters, staticParameters } = tool.definition;
  const definition = {
    ...(description !== undefined && { description }),
    ...(dynamicParameters && { dynamicParameters }),
    ...(staticParameters && { staticParameters }),
  };
  return { name, builtIn: name, definition, auth: { headers: {}, queryParams: {} } };
}

describeWithPhone('an outgoing call answered by a phone menu', () => {
  let pool: WorkerPool;
  let engines: AiStandIn;
  let phone: SoftPhone;
  beforeAll(async () => {
    [engines, phone] = await Promise.all([
      startAiStandIn(),
      SoftPhone.open({ user: 'menu', answersAtOnce: true }),
    ]);
    const { baseUrl } = engines;
    pool = await WorkerPool.open({ STT_BASE_URL: baseUrl, LLM_BASE_URL: baseUrl, LLM_MODEL: 'chat-test' });
    await pool.atLeast(1);
  });
  afterAll(async () => {
    await pool[Symbol.asyncDispose]();
    await phone[Symbol.asyncDispose]();
    await engines[Symbol.asyncDispose]();
  });

  it(
    'navigates two menu levels with a DTMF key after each prompt, and hangs up',
    async () => {
      const rule = (contains: string, reply: ReturnType<typeof toolCall>) =>
        ({ last: 'user', contains, reply }) as const;
      await engines.control({
        llm: {
          rules: [
            rule('front desk press', toolCall('playDtmfSounds', { digits: '4' })),
            rule('service press', toolCall('playDtmfSounds', { digits: '2' })),
            rule('closed', toolCall('hangUp', { reason: 'closed' })),
          ],
        },
      });
      const spec = callSpec({
        createdAtMs: Date.now(),
        firstStage: stageSpec({ model: 'svc-v0.7', tools: [builtIn('playDtmfSounds'), builtIn('hangUp')] }),
        firstSpeaker: agentSpeaksFirst('Hello, this is Ada of the little hotel.'),
        medium: sipSpec({ to: phone.uri }),
        answeringMachine: { onMachine: 'continue', message: '', onIvr: 'continue', onScreening: 'continue' },
      });
      const [first] = LEVELS;
      await engines.control({ stt: { replies: [wordsOf(first!)] } });
      await pool.queue(spec);
      await phone.until('CALL_ESTABLISHED');
      const operator = new PhoneMenuOperator(phone);
      for (const level of LEVELS) {
        await engines.control({ stt: { replies: [wordsOf(level)] } });
        await operator.run(level);
      }
      await phone.until('CALL_CLOSED');
      expect({ accepted: operator.accepted, ignored: operator.ignored }).toEqual({
        accepted: '24',
        ignored: '',
      });
      const log = await pool.endedLogOf(spec);
      expect(log.at(-1)).toMatchObject({ endReason: 'agent_hangup' });
      const noted = log.flatMap((body) =>
        body.type === 'noted' ? [[body.eventType, body.extras] as const] : [],
      );
      expect(noted.filter(([type]) => type === 'answered_by').at(-1)?.[1]).toMatchObject({
        answeredBy: 'ivr',
      });
      expect(noted.find(([type]) => type === 'menu_began')?.[1]).toEqual({ cause: 'detected' });
    },
    LIMIT_MS,
  );
});

/** The transcript of the whole prompt. */
function wordsOf({ parts }: MenuLevel): string {
  return parts.join(' ').toLowerCase().replaceAll(/[,.]/gu, '');
}
