import { Button, Text } from '@mantine/core';
import { Link } from 'react-router';
import { Changes } from '../../components/changes.tsx';
import { CopyText } from '../../components/copyable.tsx';
import { Section } from '../../components/layout.tsx';
import classes from './overview.module.css';

/** Shown to accounts without agents and calls. */
export function FirstSteps() {
  const command = firstCall(location.origin);
  return (
    <Section title="First steps">
      <ol className={classes.steps}>
        <li className={classes.step}>
          <Text fw={600}>Create an agent</Text>
          <Text c="dimmed" fz="sm" mb="xs">
            A name and a prompt are sufficient to start.
          </Text>
          <Changes>
            <Button component={Link} to="/agents/new" size="xs">
              New agent
            </Button>
          </Changes>
        </li>
        <li className={classes.step}>
          <Text fw={600}>Talk to it</Text>
          <Text c="dimmed" fz="sm">
            On the agent’s page or under Talk, with your microphone or by typing. The call’s page then shows
            its transcript, latency and recording.
          </Text>
        </li>
        <li className={classes.step}>
          <Text fw={600}>Create calls with the API</Text>
          <Text c="dimmed" fz="sm">
            With an API key in <span className="mono">KEY</span>. The response has a{' '}
            <span className="mono">joinUrl</span>, which a client opens. See the{' '}
            <a href="/docs/" className="link">
              documentation
            </a>
            .
          </Text>
          <div className={classes.command}>
            {/* It scrolls: the keyboard must reach it. */}
            <pre tabIndex={0}>{command}</pre>
            <div className={classes.commandCopy}>
              <CopyText text={command} label="Copy the command" />
            </div>
          </div>
        </li>
      </ol>
    </Section>
  );
}

function firstCall(origin: string): string {
  return [
    `curl ${origin}/api/calls \\`,
    `  -H "X-API-Key: $KEY" \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '{"systemPrompt": "You are Ada, the receptionist of a hotel.",`,
    `       "medium": {"serverWebSocket": {"inputSampleRate": 16000}}}'`,
  ].join('\n');
}
