import { Alert, Button, Group, List, Tabs, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode, type SyntheticEvent } from 'react';
import { TriangleAlertIcon } from 'lucide-react';
import { Changes, READ_ONLY, useCanChange } from '../changes.tsx';
import { useFormIssues, type FormIssues } from '../form-issues.ts';
import { useLoss } from '../leaving/losses.ts';
import { ErrorState } from '../states.tsx';
import { useTab } from '../use-tab.ts';
import { EditorJson } from './editor-json.tsx';
import { EditorProvider, useEditor, type Editor } from './editor.tsx';
import classes from './editor.module.css';
import { withValueAt } from './value-paths.ts';

const FORM = 'form';

export interface Draft<Value extends object> {
  name: string;
  value: Value;
}

export interface SaveAction<Value extends object> {
  readonly label: string;
  /** Rejects with an ApiProblem, whose issues are shown at the fields. */
  readonly onSave: (draft: Draft<Value>) => Promise<unknown>;
}

/** An additional tab next to the settings and their JSON. */
export interface EditorTab {
  readonly id: string;
  readonly label: string;
  /** `hasDraft`: there are unsaved changes. */
  readonly content: (hasDraft: boolean) => ReactNode;
}

/**
 * The page of a named resource: its settings as a form and as JSON, additional tabs, and a bar to save changes. Asks
 * for confirmation before the user leaves unsaved changes. They remain when the resource is saved elsewhere.
 */
export function EditorForm<Value extends object>(props: {
  /** The saved values. The form shows other ones at once, unless there are unsaved changes. */
  initial: Draft<Value>;
  /** Path of the value in requests: `callTemplate`. */
  root: string;
  save: SaveAction<Value>;
  /** Another way to save changes. */
  otherSave?: SaveAction<Value> | undefined;
  /** The settings. Their fields use the editor. */
  children: ReactNode;
  json: { label: string; description: ReactNode };
  tabs?: readonly EditorTab[];
  /** Content beside the form. */
  aside?: ReactNode;
  /** Called with the unsaved value after each change, and with null when there is none. */
  onDraft?: (value: Value | null) => void;
  /** Hint for a resource that does not exist yet. Its form can be saved without a change. */
  newHint?: string;
}) {
  const { initial, root, tabs = [], newHint, onDraft, otherSave } = props;
  const canChange = useCanChange();
  const [draft, setDraft] = useState(initial);
  // The saved values that the draft began with.
  const [base, setBase] = useState(initial);
  // Number of replaced drafts. Fields with text of their own reset when it changes.
  const [resets, setResets] = useState(0);
  const [tab, selectTab] = useTab([FORM, 'json', ...tabs.map(({ id }) => id)]);
  const save = useMutation({
    mutationFn: ({ onSave }: SaveAction<Value>) => onSave(draft),
  });
  const isSaving = (action: SaveAction<Value>): boolean =>
    save.isPending && save.variables.label === action.label;
  const issues = useFormIssues(save.error);
  // Saved values become the initial ones only shortly after the save, and may then be written in another way.
  const isChanged = !save.isSuccess && JSON.stringify(draft) !== JSON.stringify(base);
  const isSavedElsewhere = !save.isPending && JSON.stringify(base) !== JSON.stringify(initial);
  const reset = (): void => {
    setDraft(initial);
    setBase(initial);
    setResets(resets + 1);
  };
  if (isSavedElsewhere && !isChanged) reset();
  // A save may fail. That of a new resource leaves the page itself.
  useLoss('changes', isChanged && (newHint === undefined || !save.isPending));
  const unsaved = isChanged ? draft.value : null;
  useEffect(() => onDraft?.(unsaved), [onDraft, unsaved]);
  const change = (changed: Partial<Draft<Value>>): void => {
    if (save.isSuccess) save.reset();
    setDraft({ ...draft, ...changed });
  };
  const discard = (): void => {
    save.reset();
    reset();
  };
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    save.mutate(props.save);
  };
  const editor: Editor = {
    ...draft,
    setName: (name) => change({ name }),
    set: (path, value) => change({ value: withValueAt(draft.value, path, value) }),
    replace: (value) => change({ value: value as Value }),
    root,
    issues,
  };
  const form = (content: ReactNode) => (
    <form key={resets} onSubmit={submit} noValidate>
      {content}
    </form>
  );
  return (
    <div className={classes.editor}>
      <EditorProvider value={editor}>
        <div className={classes.columns} data-alone={props.aside === undefined}>
          <Tabs value={tab} onChange={selectTab} keepMounted={false} classNames={{ tab: classes.tab }}>
            <Tabs.List mb="md">
              <Tabs.Tab value={FORM}>Settings</Tabs.Tab>
              <Tabs.Tab value="json">JSON</Tabs.Tab>
              {tabs.map(({ id, label }) => (
                <Tabs.Tab key={id} value={id}>
                  {label}
                </Tabs.Tab>
              ))}
            </Tabs.List>
            {isSavedElsewhere && (
              <Alert
                color="yellow"
                icon={<TriangleAlertIcon />}
                title="Saved elsewhere"
                mb="md"
                role="status"
              >
                Other changes were saved in the meantime. Saving replaces them, and discarding shows them.
              </Alert>
            )}
            {save.error && <Issues error={save.error} issues={issues} root={root} />}
            <Tabs.Panel value={FORM}>{form(props.children)}</Tabs.Panel>
            <Tabs.Panel value="json">{form(<EditorJson {...props.json} />)}</Tabs.Panel>
            {tabs.map(({ id, content }) => (
              <Tabs.Panel key={id} value={id}>
                {content(isChanged)}
              </Tabs.Panel>
            ))}
          </Tabs>
          {props.aside && <aside className={classes.aside}>{props.aside}</aside>}
        </div>
        {(isChanged || newHint !== undefined) && (
          <div className={classes.saveBar}>
            <Text fz="sm" c={save.error ? 'var(--mantine-color-error)' : 'dimmed'} role="status">
              {save.error
                ? titleOf(issues)
                : (newHint ?? (canChange ? 'There are unsaved changes.' : READ_ONLY))}
            </Text>
            <Group gap="xs">
              {newHint === undefined && (
                <Button variant="default" onClick={discard} disabled={save.isPending}>
                  Discard
                </Button>
              )}
              <Changes>
                {otherSave && (
                  <Button
                    variant="default"
                    onClick={() => save.mutate(otherSave)}
                    loading={isSaving(otherSave)}
                    disabled={save.isPending}
                  >
                    {otherSave.label}
                  </Button>
                )}
                <Button
                  onClick={() => save.mutate(props.save)}
                  loading={isSaving(props.save)}
                  disabled={save.isPending}
                >
                  {props.save.label}
                </Button>
              </Changes>
            </Group>
          </div>
        )}
      </EditorProvider>
    </div>
  );
}

/** The name of the resource. */
export function NameField(props: { maxLength: number; placeholder: string; description?: string }) {
  const { name, setName, issues } = useEditor();
  return (
    <TextInput
      label="Name"
      {...props}
      value={name}
      onChange={(event) => setName(event.currentTarget.value)}
      error={issues.at('name')}
    />
  );
}

function Issues({ error, issues, root }: { error: Error; issues: FormIssues; root: string }) {
  if (issues.all.length === 0) {
    return (
      <div style={{ marginBottom: '1rem' }}>
        <ErrorState error={error} />
      </div>
    );
  }
  return (
    <Alert color="red" icon={<TriangleAlertIcon />} title={titleOf(issues)} mb="md" role="alert">
      <List size="sm" spacing={2}>
        {issues.all.map(({ path, message }) => (
          <List.Item key={`${path} ${message}`}>
            <span className="mono">{path.startsWith(`${root}.`) ? path.slice(root.length + 1) : path}</span>:{' '}
            {message}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

function titleOf({ all }: FormIssues): string {
  if (all.length === 0) return 'Saving failed';
  return all.length === 1 ? 'One field is not valid' : `${all.length} fields are not valid`;
}
