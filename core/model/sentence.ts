/**
 * What a sentence of a list looks like once its values stand in it: of `more than {limit} bytes` any text that begins and
 * ends so. What takes a `Filled` takes no sentence that its list does not hold, so that the list is all that there is to translate.
 */
export type Filled<Sentence extends string> = Sentence extends `${infer Before}{${string}}${infer After}`
  ? `${Before}${string}${Filled<After>}`
  : Sentence
