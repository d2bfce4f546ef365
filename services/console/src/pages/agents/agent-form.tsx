import { Alert, Button, Group, List, Stack, Tabs, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode, type SyntheticEvent } from 'react';
import { useBlocker, useSearchParams } from 'react-router';
import { TriangleAlertIcon } from 'lucide-react';
import { ErrorState } from '../../components/states.tsx';
import { formFaults, type FormFaults } from '../../components/form-faults.ts';
import classes from './agents.module.css';
import { BehaviourSection } from './behaviour-section.tsx';
import { LeaveDialog } from './leave-dialog.tsx';
import { OpeningSection } from './opening-section.tsx';
import { RecordsSection } from './records-section.tsx';
import { TemplateEditorProvider } from './template-editor.tsx';
import { TemplateJson } from './template-json.tsx';
import { withValueAt, type Template } from './template-paths.ts';
import { TimeSection } from './time-section.tsx';
import { ToolsSection } from './tools-section.tsx';
import { TurnSection } from './turn-section.tsx';
import { VoiceSection } from './voice-section.tsx';

const DEFAULT_VIEW = 'form';
const NEW_HINT = 'Only the name is required.';

export interface AgentDraft {
  name: string;
  template: Template;
}

/** The form of an agent. `onSave` rejects with an ApiProblem, whose issues are shown at the fields. */
export function AgentForm(props: {
  initial: AgentDraft;
  saveLabel: string;
  onSave: (draft: AgentDraft) => Promise<unknown>;
  /** Content beside the form. */
  aside?: ReactNode;
  /** Content of the versions tab. `hasDraft`: there are unsaved changes. */
  versions?: (hasDraft: boolean) => ReactNode;
  /** The agent does not exist yet, so an unchanged form can be saved. */
  isNew?: boolean;
}) {
  const { initial } = props;
  const [draft, setDraft] = useState(initial);
  const [params, setParams] = useSearchParams();
  const view = params.get('tab') ?? DEFAULT_VIEW;
  const show = (next: string | null): void =>
    setParams(next === null || next === DEFAULT_VIEW ? {} : { tab: next }, { replace: true });
  const save = useMutation({ mutationFn: () => props.onSave(draft) });
  // After the issues are rendered at their fields.
  useEffect(() => {
    if (save.error) document.querySelector<HTMLElement>('main [aria-invalid="true"]')?.focus();
  }, [save.error]);
  const faults = formFaults(save.error);
  const isChanged = JSON.stringify(draft) !== JSON.stringify(initial);
  // Saved values become the initial ones shortly after.
  const isAtRisk = isChanged && !save.isPending && !save.isSuccess;
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => isAtRisk && currentLocation.pathname !== nextLocation.pathname,
  );
  const change = (changed: Partial<AgentDraft>): void => {
    if (save.isSuccess) save.reset();
    setDraft({ ...draft, ...changed });
  };
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    save.mutate();
  };
  const editor = {
    template: draft.template,
    set: (path: string, value: unknown) => change({ template: withValueAt(draft.template, path, value) }),
    faults,
  };
  return (
    <form onSubmit={submit} noValidate>
      <TemplateEditorProvider value={editor}>
        <div className={classes.columns} data-alone={props.aside === undefined}>
          <Tabs value={view} onChange={show} keepMounted={false}>
            <Tabs.List mb="md">
              <Tabs.Tab value="form">Settings</Tabs.Tab>
              <Tabs.Tab value="json">JSON</Tabs.Tab>
              {props.versions && <Tabs.Tab value="versions">Versions</Tabs.Tab>}
            </Tabs.List>
            {save.error && <Faults error={save.error} faults={faults} />}
            <Tabs.Panel value="form">
              <Stack gap="lg">
                <BehaviourSection>
                  <TextInput
                    label="Name"
                    value={draft.name}
                    maxLength={64}
                    placeholder="Hotel reception"
                    onChange={(event) => change({ name: event.currentTarget.value })}
                    error={faults.at('name')}
                  />
                </BehaviourSection>
                <VoiceSection />
                <OpeningSection />
                <ToolsSection />
                <TimeSection />
                <TurnSection />
                <RecordsSection />
              </Stack>
            </Tabs.Panel>
            <Tabs.Panel value="json">
              <TemplateJson onChange={(template) => change({ template })} />
            </Tabs.Panel>
            {props.versions && <Tabs.Panel value="versions">{props.versions(isChanged)}</Tabs.Panel>}
          </Tabs>
          {props.aside && <aside className={classes.aside}>{props.aside}</aside>}
        </div>
        {(isChanged || props.isNew) && (
          <div className={classes.saveBar}>
            <Text fz="sm" c={save.error ? 'var(--mantine-color-error)' : 'dimmed'} role="status">
              {save.error ? titleOf(faults) : props.isNew ? NEW_HINT : 'There are unsaved changes.'}
            </Text>
            <Group gap="xs" wrap="nowrap">
              {!props.isNew && (
                <Button variant="default" onClick={() => setDraft(initial)} disabled={save.isPending}>
                  Discard
                </Button>
              )}
              <Button type="submit" loading={save.isPending}>
                {props.saveLabel}
              </Button>
            </Group>
          </div>
        )}
      </TemplateEditorProvider>
      <LeaveDialog blocker={blocker} />
    </form>
  );
}

function Faults({ error, faults }: { error: Error; faults: FormFaults }) {
  if (faults.all.length === 0) {
    return (
      <div style={{ marginBottom: '1rem' }}>
        <ErrorState error={error} />
      </div>
    );
  }
  return (
    <Alert color="red" icon={<TriangleAlertIcon />} title={titleOf(faults)} mb="md" role="alert">
      <List size="sm" spacing={2}>
        {faults.all.map(({ path, message }) => (
          <List.Item key={`${path} ${message}`}>
            <span className="mono">{path.replace(/^callTemplate\./u, '')}</span>: {message}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

function titleOf({ all }: FormFaults): string {
  if (all.length === 0) return 'It could not be saved';
  return all.length === 1 ? 'One field is not valid' : `${all.length} fields are not valid`;
}
