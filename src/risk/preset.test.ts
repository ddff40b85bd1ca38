import { expect, it } from 'vitest';
import { CONTROLS } from './controls/table.js';
import { enforces, PRESETS } from './preset.js';

it('enforces every control under standard', () => {
  for (const { id } of CONTROLS) expect(enforces('standard', id), id).toBe(true);
});

it('enforces only what is no limit under research', () => {
  const enforced = CONTROLS.map(({ id }) => id).filter((id) => enforces('research', id));
  expect([...enforced].sort()).toEqual(['R07', 'R22', 'R30', 'mode']);
});

it('enforces nothing under none', () => {
  for (const { id } of CONTROLS) expect(enforces('none', id), id).toBe(false);
});

it('has three names, the strictest first', () => {
  expect(PRESETS).toEqual(['standard', 'research', 'none']);
});
