import { describe, expect, it } from '@jest/globals';
import { ApiProblem } from '../../api/api-problem.ts';
import { MicrophoneError } from './microphone-access.ts';
import { talkProblem } from './talk-problem.ts';

describe('a problem of a call', () => {
  it('with the microphone leaves typing', () => {
    const problem = talkProblem(new MicrophoneError('microphone_denied'));
    expect(problem).toMatchObject({ title: 'The microphone is not allowed', helpsWithoutMicrophone: true });
    expect(problem.detail).toContain('by text');
  });

  it('of the server tells its reason', () => {
    const detail = 'This server can not offer WebRTC now (no binary).';
    const thrown = new ApiProblem({ status: 422, code: 'medium_not_available', detail });
    expect(talkProblem(thrown)).toMatchObject({
      title: 'This server has no WebRTC now',
      detail,
      helpsWithoutMicrophone: false,
    });
  });

  it('that nobody foresaw is told in its own words', () => {
    expect(talkProblem(new Error('odd'))).toMatchObject({
      title: 'The call could not be started',
      detail: 'odd',
    });
    expect(talkProblem('odd').detail).toBe('odd');
  });
});
