import { describe, expect, it } from '@jest/globals';
import { ApiProblem } from '../../api/api-problem.ts';
import { lossOf, talkProblem } from './talk-problem.ts';

/** Creates errors like those of the browser SDK. */
const withCode = (message: string, code: string) => Object.assign(new Error(message), { code });

describe('talkProblem', () => {
  it('suggests text when the microphone is not allowed', () => {
    const problem = talkProblem(withCode('not allowed', 'microphone_denied'));
    expect(problem).toMatchObject({ title: 'The microphone is not allowed' });
    expect(problem.detail).toContain('use text');
  });

  it('shows the reason that the server reports', () => {
    const detail = 'This server cannot offer WebRTC now (no binary).';
    const thrown = new ApiProblem({ status: 422, code: 'medium_not_available', detail });
    expect(talkProblem(thrown)).toMatchObject({
      title: 'WebRTC is not available on this server now',
      detail,
    });
  });

  it('reports a lost connection instead of an unreachable server once the call was joined', () => {
    const unreachable = Object.assign(new Error('the service cannot be reached'), {
      code: 'connection_failed',
    });
    expect(talkProblem(unreachable).detail).toContain('MEDIA_PUBLIC_URL');
    expect(lossOf(unreachable)).toMatchObject({ title: 'The connection was lost', cause: unreachable });
    const ended = withCode('gone', 'unknown_call');
    expect(lossOf(ended)).toEqual(talkProblem(ended));
  });

  it('shows the message of an unknown error', () => {
    expect(talkProblem(new Error('odd'))).toMatchObject({
      title: 'The call could not be started',
      detail: 'odd',
    });
    expect(talkProblem('odd').detail).toBe('odd');
  });
});
