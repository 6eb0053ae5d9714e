CREATE TABLE "comments" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "comments_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"activity_id" bigint NOT NULL,
	"topic_id" integer NOT NULL,
	"parent_id" bigint,
	"author_id" text,
	"body" text NOT NULL,
	"mentions" text[] NOT NULL,
	"version" integer NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"edited_at" timestamp with time zone,
	"edited_by" text,
	"deleted_at" timestamp with time zone,
	"key" text
);
--> statement-breakpoint
CREATE TABLE "conversations" (
	"activity_id" bigint PRIMARY KEY NOT NULL,
	"version" integer NOT NULL,
	"reactions" jsonb NOT NULL,
	"comments" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "notices" (
	"user_id" text NOT NULL,
	"comment_id" bigint NOT NULL,
	"activity_id" bigint NOT NULL,
	"topic_id" integer NOT NULL,
	"kind" text NOT NULL,
	"read_at" timestamp with time zone,
	CONSTRAINT "notices_user_id_comment_id_pk" PRIMARY KEY("user_id","comment_id")
);
--> statement-breakpoint
CREATE TABLE "reactions" (
	"activity_id" bigint NOT NULL,
	"user_id" text NOT NULL,
	"emoji" text NOT NULL,
	"reacted_at" timestamp with time zone NOT NULL,
	CONSTRAINT "reactions_activity_id_user_id_pk" PRIMARY KEY("activity_id","user_id")
);
--> statement-breakpoint
ALTER TABLE "comments" ADD CONSTRAINT "comments_author_id_users_id_fk" FOREIGN KEY ("author_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "comments" ADD CONSTRAINT "comments_edited_by_users_id_fk" FOREIGN KEY ("edited_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notices" ADD CONSTRAINT "notices_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reactions" ADD CONSTRAINT "reactions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "comments_roots" ON "comments" USING btree ("activity_id","id") WHERE parent_id is null;--> statement-breakpoint
CREATE INDEX "comments_replies" ON "comments" USING btree ("parent_id","id") WHERE parent_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "comments_key" ON "comments" USING btree ("author_id","key") WHERE key is not null;--> statement-breakpoint
CREATE INDEX "notices_unread" ON "notices" USING btree ("user_id","comment_id") WHERE read_at is null;--> statement-breakpoint
CREATE INDEX "notices_comment" ON "notices" USING btree ("comment_id");--> statement-breakpoint
CREATE INDEX "reactions_user" ON "reactions" USING btree ("user_id");