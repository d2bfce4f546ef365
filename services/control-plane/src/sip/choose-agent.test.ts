import { describe, expect, it } from '@jest/globals';
import { inProcessChecksOf } from '@calls/testkit/in-process-checks';
import { chooseAgent } from './choose-agent.ts';

const [ADA, BOB] = ['0190f3a0-0000-7000-8000-00000000000a', '0190f3a0-0000-7000-8000-00000000000b'];

function chosen(user: string, allowed: { agentId: string; toUserPattern?: string }[], allowAll = false) {
  const config = { allowed_agents: allowed, allow_all_agents: allowAll };
  return chooseAgent(config, user, inProcessChecksOf('account'));
}

describe('chooseAgent', () => {
  it('returns the agent whose id is the SIP user, if it accepts calls', async () => {
    const allowed = [{ agentId: ADA }];
    for (const user of [`agent_${ADA}`, ADA, `Agent_${ADA.toUpperCase()}`])
      expect(await chosen(user, allowed)).toBe(ADA);
    for (const user of [BOB, `agent_${BOB}`, `agent_agent_${ADA}`, `${ADA}x`, 'ada', '', '+4930'])
      expect(await chosen(user, allowed)).toBeNull();
    expect(await chosen(ADA, [])).toBeNull();
    expect(await chosen(BOB, [], true)).toBe(BOB);
    expect(await chosen('ada', [], true)).toBeNull();
  });

  it('returns the first agent whose pattern matches, and ignores the id of agents with a pattern', async () => {
    const allowed = [
      { agentId: ADA, toUserPattern: '^\\+49' },
      { agentId: BOB, toUserPattern: '^\\+' },
    ];
    expect(await chosen('+4930', allowed)).toBe(ADA);
    expect(await chosen('+1555', allowed)).toBe(BOB);
    expect(await chosen('1555', allowed)).toBeNull();
    expect(await chosen(ADA, allowed)).toBeNull();
    expect(await chosen(ADA, allowed, true)).toBe(ADA);
  });

  it('returns null for a user name that causes catastrophic backtracking', async () => {
    const allowed = [{ agentId: ADA, toUserPattern: '^(a+)+$' }];
    expect(await chosen(`${'a'.repeat(255)}!`, allowed)).toBeNull();
  });
});
