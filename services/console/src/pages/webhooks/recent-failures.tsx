import { Text } from '@mantine/core';
import type { Schemas } from '../../api/client.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Section } from '../../components/section.tsx';
import classes from './webhook-page.module.css';

/** The last ten, newest first. */
export function RecentFailures({ failures }: { failures: readonly Schemas['WebhookFailure'][] }) {
  return (
    <Section title="Recent failures" description="Five failed deliveries in a row make a webhook unhealthy.">
      <ul className={classes.failures}>
        {failures.toReversed().map(({ timestamp, failure }, index) => (
          <li key={`${timestamp} ${index}`}>
            <Text component="span" c="dimmed">
              <RelativeTime at={timestamp} />
            </Text>
            <span>{failure}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
