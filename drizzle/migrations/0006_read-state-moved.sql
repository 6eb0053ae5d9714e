DROP TABLE "read_state" CASCADE;--> statement-breakpoint
DROP TABLE "read_versions" CASCADE;