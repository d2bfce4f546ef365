import { expect, it } from '@jest/globals';
import { useCall, useTranscript } from '@calls/client/react';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';

it('the React hooks of the browser SDK render on a server', () => {
  function Call() {
    const { session, status, join } = useCall({ tools: { show: () => 'shown' } });
    const transcript = useTranscript(session);
    return createElement('p', { onClick: () => void join('ws://127.0.0.1/') }, status, transcript.length);
  }
  expect(renderToString(createElement(Call))).toBe('<p>disconnected<!-- -->0</p>');
});
