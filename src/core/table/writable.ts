/**
 * An object that is being built: its optional fields are set one by one. A spread would read better, but V8 makes a
 * hidden class for each spread of an object with doubles, which takes microseconds.
 */
export type Writable<T> = { -readonly [Key in keyof T]: T[Key] };
