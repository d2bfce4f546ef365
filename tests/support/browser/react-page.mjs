import { useCall, useLevels, useTranscript } from '@calls/client/react';
import { createElement as h, StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';

/** A page like that of a React application: a button mounts and unmounts the call. */
function Call() {
  const [colour, setColour] = useState('white');
  const call = useCall({
    // React gets a new object at each render.
    tools: {
      setColour: ({ colour: wanted }) => {
        setColour(wanted);
        return `The page was ${colour} and is ${String(wanted)} now.`;
      },
    },
  });
  const transcript = useTranscript(call.session);
  globalThis.call = call;
  globalThis.session = call.session;
  const join = async () => {
    const { joinUrl } = await (await fetch('/call', { method: 'POST' })).json();
    await call.join(joinUrl);
  };
  return h(
    'main',
    { id: 'call', style: { background: colour } },
    h('button', { id: 'join', onClick: () => void join() }, 'Join'),
    h('button', { id: 'leave', onClick: () => void call.leave() }, 'Leave'),
    h('output', { id: 'status' }, call.status),
    h('output', { id: 'error' }, call.error?.code ?? ''),
    h('output', { id: 'end' }, call.end?.reason ?? ''),
    h('output', { id: 'colour' }, colour),
    h(Meter, { session: call.session }),
    h(
      'ol',
      { id: 'transcript' },
      transcript.map(({ ordinal, role, text }) => h('li', { key: ordinal }, `${role}: ${text}`)),
    ),
  );
}

function Meter({ session }) {
  const { agent } = useLevels(session);
  globalThis.loudest = Math.max(globalThis.loudest ?? 0, agent);
  return h('meter', { value: agent });
}

function App() {
  const [isShown, setShown] = useState(true);
  return h(
    StrictMode,
    null,
    h('button', { id: 'toggle', onClick: () => setShown(!isShown) }, 'Show or hide'),
    isShown && h(Call),
  );
}

createRoot(globalThis.document.getElementById('root')).render(h(App));
