import { Alert, Anchor, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { dataOf, api } from '../../api/client.ts';
import { LIVE_REFRESH_MS } from '../../api/queries.ts';
import { Section } from '../../components/layout.tsx';
import { Page } from '../../components/page.tsx';
import { ErrorState } from '../../components/states.tsx';
import { EngineDetails } from './engine-details.tsx';
import { ROLES } from './engine-labels.ts';
import classes from './engines.module.css';

const GUIDE = '/docs/guides/use-your-own-models';

export function Component() {
  const { data, error, refetch } = useQuery({
    queryKey: ['engines'],
    queryFn: () => dataOf(api.GET('/api/engines')),
    refetchInterval: 2 * LIVE_REFRESH_MS,
  });
  return (
    <Page
      title="Engines"
      description="The speech-to-text, language models and text-to-speech of this installation. Media-workers measure health and latency during calls. The figures cover the time since the workers started."
    >
      <Stack gap="lg">
        {error && <ErrorState error={error} onRetry={() => void refetch()} />}
        {data?.mediaWorkers === 0 && (
          <Alert color="yellow" title="No media-worker reports its engines">
            Calls wait until a media-worker runs. Start one, or look at its log.
          </Alert>
        )}
        {data === undefined
          ? !error && ROLES.map(({ role }) => <Skeleton key={role} height={180} radius="lg" />)
          : ROLES.map(({ role, title, meaning, anchor }) => {
              const engines = data.engines.filter((engine) => engine.role === role);
              if (engines.length === 0) return null;
              return (
                <Section
                  key={role}
                  title={title}
                  description={meaning}
                  actions={
                    <Anchor href={`${GUIDE}#${anchor}`} target="_blank" className="link" inherit>
                      {engines[0]?.kind === 'embedded' ? 'Replace the embedded engine' : 'Configure'}
                    </Anchor>
                  }
                >
                  <ul className={classes.engines} aria-label={`Engines for ${title.toLowerCase()}`}>
                    {engines.map((engine) => (
                      <li key={`${engine.name} ${engine.model ?? ''} ${engine.use}`}>
                        <EngineDetails engine={engine} />
                      </li>
                    ))}
                  </ul>
                </Section>
              );
            })}
      </Stack>
    </Page>
  );
}
