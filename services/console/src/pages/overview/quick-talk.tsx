import { Button, Text } from '@mantine/core';
import { Link } from 'react-router';
import { MicIcon, PlusIcon } from 'lucide-react';
import type { Schemas } from '../../api/client.ts';
import { Changes } from '../../components/changes.tsx';
import { Section } from '../../components/layout.tsx';
import classes from './overview.module.css';

const SHOWN = 6;

/** The newest agents, to start a call with one click. */
export function QuickTalk({ agents }: { agents: readonly Schemas['Agent'][] }) {
  return (
    <Section title="Talk to an agent" flush>
      <ul className={classes.list} aria-label="Agents">
        {agents.slice(0, SHOWN).map(({ agentId, name }) => (
          <li key={agentId} className={classes.row}>
            <Text className={classes.rowText} truncate>
              <Link to={`/talk/${agentId}`} className={classes.rowLink}>
                {name || 'Unnamed agent'}
              </Link>
            </Text>
            <MicIcon size={16} />
          </li>
        ))}
        <li className={classes.row}>
          <Changes>
            <Button
              component={Link}
              to="/agents/new"
              variant="default"
              size="xs"
              leftSection={<PlusIcon size={15} />}
            >
              New agent
            </Button>
          </Changes>
        </li>
      </ul>
    </Section>
  );
}
