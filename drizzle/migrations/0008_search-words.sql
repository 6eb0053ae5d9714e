ALTER TABLE "activities" ADD COLUMN "words" "tsvector" GENERATED ALWAYS AS (to_tsvector('simple', translate(
  coalesce(actor_tool, '') || ' ' || verb || ' ' || summary
    || ' ' || coalesce(object->>'title', '') || ' ' || coalesce(object->>'id', '')
    || ' ' || coalesce(target->>'title', '') || ' ' || coalesce(target->>'id', ''),
  '!"#$%&''()*+,-./:;<=>?@[\]^_`{|}~', repeat(' ', 32)))) STORED;--> statement-breakpoint
CREATE INDEX "activities_words" ON "activities" USING gin ("words");