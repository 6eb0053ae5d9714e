CREATE TABLE "deleted_activities" (
	"topic_id" integer NOT NULL,
	"no" bigint NOT NULL,
	"activity_id" bigint NOT NULL,
	"seq" bigint NOT NULL,
	"version" integer NOT NULL,
	"gone" text NOT NULL,
	"deleted_by" text NOT NULL,
	"published_at" timestamp with time zone NOT NULL,
	"deleted_at" timestamp with time zone NOT NULL,
	CONSTRAINT "deleted_activities_topic_id_no_pk" PRIMARY KEY("topic_id","no")
);
--> statement-breakpoint
ALTER TABLE "activities" ADD COLUMN "version" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "activities" ADD COLUMN "edited_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "activities" ADD COLUMN "edited_by" text;--> statement-breakpoint
CREATE UNIQUE INDEX "deleted_activities_id" ON "deleted_activities" USING btree ("activity_id");