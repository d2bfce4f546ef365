import { useCall, useLevels, useTranscript } from '@calls/client/react';
import { Activity, createElement as h, StrictMode, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';

/**
 * A page like that of a React application: buttons mount and unmount the call, and hide and show it. A join URL in the
 * fragment of the page's URL is joined at once.
 */
function Call() {
  const [colour, setColour] = useState('white');
  const call = useCall({
    // React gets a new object at each render. A blue page has no tools.
    tools:
      colour === 'blue'
        ? {}
        : {
            setColour: ({ colour: wanted }) => {
              setColour(wanted);
              return `The page was ${colour} and is ${String(wanted)} now.`;
            },
          },
  });
  const transcript = useTranscript(call.session);
  globalThis.call = call;
  globalThis.session = call.session;
  globalThis.statuses = [...(globalThis.statuses ?? []), call.status];
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
    h(JoinAtOnce, { join: call.join }),
    h(
      'ol',
      { id: 'transcript' },
      transcript.map(({ ordinal, role, text }) => h('li', { key: ordinal }, `${role}: ${text}`)),
    ),
  );
}

/** The effects of a child run before those of its parent, and twice in StrictMode. */
function JoinAtOnce({ join }) {
  useEffect(() => {
    const joinUrl = decodeURIComponent(globalThis.location.hash.slice(1));
    if (joinUrl) void join(joinUrl);
  }, [join]);
  return null;
}

function Meter({ session }) {
  const { agent } = useLevels(session);
  globalThis.loudest = Math.max(globalThis.loudest ?? 0, agent);
  return h('meter', { value: agent });
}

function App() {
  const [isShown, setShown] = useState(true);
  const [mode, setMode] = useState('visible');
  return h(
    StrictMode,
    null,
    h('button', { id: 'toggle', onClick: () => setShown(!isShown) }, 'Mount or unmount'),
    h('button', { id: 'hide', onClick: () => setMode('hidden') }, 'Hide'),
    h('button', { id: 'show', onClick: () => setMode('visible') }, 'Show'),
    isShown && h(Activity, { mode }, h(Call)),
  );
}

createRoot(globalThis.document.getElementById('root')).render(h(App));
