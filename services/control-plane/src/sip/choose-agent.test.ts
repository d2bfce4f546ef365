import { describe, expect, it } from '@jest/globals';
import { chooseAgent } from './choose-agent.ts';

const [ADA, BOB] = ['0190f3a0-0000-7000-8000-00000000000a', '0190f3a0-0000-7000-8000-00000000000b'];

function chosen(user: string, allowed: { agentId: string; toUserPattern?: string }[], allowAll = false) {
  return chooseAgent({ allowed_agents: allowed, allow_all_agents: allowAll }, user);
}

describe('the agent that a user of the SIP domain is', () => {
  it('is the one of this id, where it may be called', () => {
    const allowed = [{ agentId: ADA }];
    for (const user of [`agent_${ADA}`, ADA, `Agent_${ADA.toUpperCase()}`])
      expect(chosen(user, allowed)).toBe(ADA);
    for (const user of [BOB, `agent_${BOB}`, `agent_agent_${ADA}`, `${ADA}x`, 'ada', '', '+4930'])
      expect(chosen(user, allowed)).toBeNull();
    expect(chosen(ADA, [])).toBeNull();
    expect(chosen(BOB, [], true)).toBe(BOB);
    expect(chosen('ada', [], true)).toBeNull();
  });

  it('is the first whose pattern fits; who has one is not called by its id', () => {
    const allowed = [
      { agentId: ADA, toUserPattern: '^\\+49' },
      { agentId: BOB, toUserPattern: '^\\+' },
    ];
    expect(chosen('+4930', allowed)).toBe(ADA);
    expect(chosen('+1555', allowed)).toBe(BOB);
    expect(chosen('1555', allowed)).toBeNull();
    expect(chosen(ADA, allowed)).toBeNull();
    expect(chosen(ADA, allowed, true)).toBe(ADA);
  });

  it('takes no longer for a hostile user', () => {
    const allowed = [{ agentId: ADA, toUserPattern: '^(a+)+$' }];
    expect(chosen(`${'a'.repeat(255)}!`, allowed)).toBeNull();
  });
});
