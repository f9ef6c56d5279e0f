/** JSON Schema of an object in which the text field is present and not null. */
export function given(name: string) {
  return { required: [name], properties: { [name]: { type: 'string' } } } as const;
}
