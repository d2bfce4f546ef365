import { Select } from '@mantine/core';
import type { Schemas } from '../../api/client.ts';
import type { FormField, ValueInputProps } from '../../components/fields-form.tsx';
import { useSession } from '../../session/session.ts';

type Role = Schemas['APIKey']['role'];

const ROLES: Readonly<Record<Role, { label: string; meaning: string }>> = {
  administrator: { label: 'Administrator', meaning: 'Everything' },
  member: { label: 'Member', meaning: 'Everything but team and keys' },
  viewer: { label: 'Viewer', meaning: 'Read-only' },
};
const OPTIONS = Object.entries(ROLES).map(([value, { label, meaning }]) => ({
  value,
  label: `${label}: ${meaning.toLowerCase()}`,
}));

export function roleLabel(role: Role): string {
  return ROLES[role].label;
}

export function RoleInput({ label, value, onChange, error }: ValueInputProps) {
  return (
    <Select
      label={label}
      data={OPTIONS}
      value={typeof value === 'string' ? value : null}
      onChange={onChange}
      allowDeselect={false}
      error={error}
    />
  );
}

export const NAME_FIELD: FormField = { name: 'name', label: 'Name', kind: 'text', required: true };
export const ROLE_FIELD: FormField = { name: 'role', label: 'Role', kind: RoleInput };

/** Whether the user may manage keys and invitations. */
export function useIsAdministrator(): boolean {
  return useSession().data?.key.role === 'administrator';
}
